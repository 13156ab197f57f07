import { useQueryClient } from '@tanstack/react-query';
import { MINE } from '../../../account/session.ts';
import { SignTransactions } from '../../../account/sign-transactions.tsx';
import type { api, DataOf } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Button } from '../../../components/button.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Panel } from '../../../components/panel.tsx';
import { RewardOutlook } from '../../../components/reward-outlook.tsx';
import { Risks } from '../../../components/risks.tsx';
import { Time } from '../../../components/time.tsx';
import { count, countOf, duration, percent } from '../../../format.ts';
import { JoinedLink } from './joined-link.tsx';

type Offer = DataOf<typeof api.links.joinPreview>;

/** Reasons of the contract against a new link, with what the reader can do. */
const refusals: Readonly<Record<Offer['reasons'][number], string>> = {
  not_allowed:
    'Only accounts that the merchant allowed may join. Ask the merchant for an invitation.',
  paused: 'The merchant paused this campaign. It takes no new links until it is resumed.',
  ended: 'The merchant ended this campaign.',
  expired: 'This campaign is over.',
  capacity_full: 'This campaign has as many links as it allows.',
  account_full: 'You have as many links in this campaign as an account may have.',
};

interface JoinOfferProps {
  readonly offer: Offer;
  readonly address: string;
  readonly onBack: () => void;
}

/** Rewards that a new link would give the account, and the transaction to sign. */
export function JoinOffer({ offer, address, onBack }: JoinOfferProps) {
  const queries = useQueryClient();
  const { campaign, parent, ownNodes, levels, nextLevels, transaction, reasons } = offer;
  const { campaignId, token, price, holdSeconds, commissionBps, nextPolicy } = campaign;
  return (
    <div className="stack">
      <YouEarn offer={offer} />
      <Facts
        facts={[
          [
            'Your link goes under',
            parent ? `link ${parent.code ?? parent.nodeId}` : 'no other link',
          ],
          ['Price', <Amount key="price" value={price} token={token} />],
          ['Commission of a sale', percent(commissionBps)],
          ['Held for', duration(holdSeconds)],
          ['Your own purchases', ownPurchases(campaign)],
          ['Room for', countOf(offer.nodesLeft, 'more link')],
        ]}
      />
      <RewardOutlook campaign={campaign} />
      <Levels levels={levels} token={token} caption="Who earns from a sale through your link" />
      {nextPolicy && nextLevels && (
        <div className="stack">
          <p>
            From <Time at={nextPolicy.effectiveAt} /> on, version {nextPolicy.version} of the policy
            pays:
          </p>
          <Levels levels={nextLevels} token={token} caption="Who earns by the next policy" />
        </div>
      )}
      {ownNodes.length > 0 && (
        <p className="soft">
          You have {countOf(ownNodes.length, 'link')} in this campaign already. This adds another.
        </p>
      )}
      {reasons.length > 0 && (
        <Panel tone="warn" title="You cannot join now" role="status">
          {reasons.map((reason) => (
            <p key={reason}>{refusals[reason]}</p>
          ))}
        </Panel>
      )}
      <section aria-label="Risks" className="stack">
        <h3>What others can do to your rewards</h3>
        <Risks campaign={campaign} />
      </section>
      {transaction && (
        <SignTransactions
          transactions={[transaction]}
          address={address}
          name="Join"
          onSettled={() => queries.invalidateQueries({ queryKey: [MINE] })}
          done={<JoinedLink campaignId={campaignId} before={ownNodes} />}
        />
      )}
      <div>
        <Button quiet onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  );
}

const ownPurchases = ({ excludesSelfReferral }: Offer['campaign']): string =>
  excludesSelfReferral ? 'refused if they reward a link of yours' : 'allowed, and rewarded';

/** The reward of the new link for a sale that comes through it, and why it is that much. */
function YouEarn({ offer: { levels, campaign } }: Pick<JoinOfferProps, 'offer'>) {
  const own = levels.find(({ level }) => level === 1);
  if (own === undefined) return null;
  const above = levels.length - 1;
  return (
    <div>
      <p>
        <strong>
          You earn <Amount value={own.exampleReward} token={campaign.token} /> per sale
        </strong>{' '}
        through your link.
      </p>
      <p className="soft">
        {above === 0
          ? `No link is above yours, so you share the reward of ${percent(campaign.commissionBps)} with no one.`
          : above === 1
            ? `You share the reward of ${percent(campaign.commissionBps)} with the link above yours.`
            : `You share the reward of ${percent(campaign.commissionBps)} with the ${count(above)} links above yours.`}{' '}
        If others join under your link, you earn a part of their sales, too.
      </p>
    </div>
  );
}

interface LevelsProps {
  readonly levels: Offer['levels'];
  readonly token: Offer['campaign']['token'];
  readonly caption: string;
}

function Levels({ levels, token, caption }: LevelsProps) {
  return (
    <DataTable
      caption={caption}
      rows={levels}
      rowKey={({ level }) => String(level)}
      columns={[
        {
          name: 'Who earns',
          cell: ({ level }) => levelName(level),
        },
        { name: 'Share', numeric: true, cell: (one) => percent(shareBps(one, levels)) },
        column.amountIn(token, 'Reward of a sale', 'exampleReward'),
      ]}
    />
  );
}

/**
 * Share of a level of all that the levels get, in basis points: weights of levels that do not exist are not paid. The
 * first level has what rounding leaves, as in the contract, so that the shares add up.
 */
function shareBps({ level, exampleReward }: Offer['levels'][number], levels: Offer['levels']) {
  const all = levels.reduce((sum, one) => sum + BigInt(one.exampleReward), 0n);
  if (all === 0n) return 0;
  const shareOf = (reward: string) => Number((BigInt(reward) * 10_000n) / all);
  if (level !== 1) return shareOf(exampleReward);
  const above = levels.filter((one) => one.level !== 1);
  return above.reduce((left, one) => left - shareOf(one.exampleReward), 10_000);
}

function levelName(level: number): string {
  if (level === 1) return 'You';
  return level === 2 ? 'The link above yours' : `The link ${level - 1} above yours`;
}
