import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import type { CampaignLedgers } from '../../../ledger/campaign-ledgers.ts';
import { JoinDialog } from './join-dialog.tsx';

/** States in which a campaign takes no new links. */
const CLOSED: readonly string[] = ['PAUSED', 'ENDED', 'EXPIRED'];

/** The way to become a distributor of a campaign; nothing if it takes no new links. */
export function JoinCard({ campaign }: Pick<CampaignLedgers, 'campaign'>) {
  const [open, setOpen] = useState(false);
  const { campaignId, state, product, inviteOnly } = campaign;
  if (CLOSED.includes(state)) return null;
  return (
    <Card title="Earn with this campaign" id="join">
      <div className="stack">
        <p>
          Join to get a link of your own. You earn a part of each sale that comes through it
          {inviteOnly ? '. The merchant decides who may join.' : '.'}
        </p>
        <div>
          <Button main onClick={() => setOpen(true)}>
            Join this campaign
          </Button>
        </div>
      </div>
      <JoinDialog
        campaignId={campaignId}
        title={product.title}
        open={open}
        onClose={() => setOpen(false)}
      />
    </Card>
  );
}
