import { type ReactNode, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import type { CampaignLedgers } from '../../../ledger/campaign-ledgers.ts';
import { JoinDialog } from './join-dialog.tsx';

type Campaign = CampaignLedgers['campaign'];

/** States in which a campaign takes no new links. */
const CLOSED: readonly string[] = ['PAUSED', 'ENDED', 'EXPIRED'];

/** True for a campaign that takes new links. */
export const takesLinks = ({ state }: Campaign): boolean => !CLOSED.includes(state);

interface JoinButtonProps {
  readonly campaign: Campaign;
  readonly main?: boolean;
  readonly children: ReactNode;
}

/** A button that opens the way to become a distributor of a campaign. */
export function JoinButton({ campaign, main = false, children }: JoinButtonProps) {
  const [open, setOpen] = useState(false);
  const { campaignId, product, inviteOnly } = campaign;
  return (
    <>
      <Button main={main} onClick={() => setOpen(true)}>
        {children}
      </Button>
      <JoinDialog
        {...{ campaignId, inviteOnly, open }}
        title={product.title}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
