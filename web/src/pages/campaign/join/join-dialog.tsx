import { ForAccount } from '../../../account/sign-in.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { JoinFlow } from './join-flow.tsx';

interface JoinDialogProps {
  readonly campaignId: string;
  /** Title of its product. */
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** A window in which the reader joins a campaign, after signing in. */
export function JoinDialog({ campaignId, title, open, onClose }: JoinDialogProps) {
  return (
    <Dialog title={`Join ${title}`} open={open} onClose={onClose}>
      <ForAccount why="Your link belongs to your account, and its rewards are paid to it.">
        {({ address }) => <JoinFlow campaignId={campaignId} address={address} />}
      </ForAccount>
    </Dialog>
  );
}
