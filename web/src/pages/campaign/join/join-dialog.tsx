import { ForAccount } from '../../../account/sign-in.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { AskOrJoin } from './ask-to-join.tsx';
import { JoinFlow } from './join-flow.tsx';

/** A campaign to join. */
export interface Joining {
  readonly campaignId: string;
  /** Title of its product. */
  readonly title: string;
  /** True if only accounts may join that the merchant invited. */
  readonly inviteOnly?: boolean;
}

interface JoinDialogProps extends Joining {
  readonly open: boolean;
  readonly onClose: () => void;
}

/**
 * A window in which the reader joins a campaign, or asks to, after signing in. Show it next to lists, not in their rows:
 * the sign-in changes what lists have, and a row that goes would take its window along.
 */
export function JoinDialog({ campaignId, title, inviteOnly = false, ...dialog }: JoinDialogProps) {
  return (
    <Dialog title={joinTitle(inviteOnly, title)} {...dialog}>
      <ForAccount
        demo="partner"
        why="Your link belongs to your account, and its rewards are paid to it."
      >
        {({ address }) =>
          inviteOnly ? (
            <AskOrJoin campaignId={campaignId} address={address} />
          ) : (
            <JoinFlow campaignId={campaignId} address={address} />
          )
        }
      </ForAccount>
    </Dialog>
  );
}

/** Title of the window, and name of the button that leads to it. */
export const joinTitle = (inviteOnly: boolean, title: string): string =>
  inviteOnly ? `Ask to join ${title}` : `Join ${title}`;
