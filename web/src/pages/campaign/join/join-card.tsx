import { Card } from '../../../components/card.tsx';
import { EarningsRange } from '../../../components/earnings-range.tsx';
import type { CampaignLedgers } from '../../../ledger/campaign-ledgers.ts';
import { JoinButton, takesLinks } from './join-button.tsx';

/** The way to become a distributor of a campaign; nothing if it takes no new links. */
export function JoinCard({ campaign }: Pick<CampaignLedgers, 'campaign'>) {
  const { inviteOnly, price, policy, token } = campaign;
  if (!takesLinks(campaign)) return null;
  return (
    <Card title="Earn with this campaign" id="join">
      <div className="stack">
        <EarningsRange price={price} terms={policy} token={token} explained />
        <p>
          {inviteOnly
            ? 'The merchant decides who may join: ask for an invitation.'
            : 'Join to get a link of your own to share.'}
        </p>
        <div>
          <JoinButton campaign={campaign} main>
            {inviteOnly ? 'Ask to join' : 'Join this campaign'}
          </JoinButton>
        </div>
      </div>
    </Card>
  );
}
