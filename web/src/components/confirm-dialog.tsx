import { useMutation } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Issue } from './issue.tsx';

interface ConfirmDialogProps {
  /** Text of the button that confirms: `Remove`. */
  readonly name: string;
  /** The question: `Remove Ada from the team?` */
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
  /** Gets the focus afterwards; default what had it before. */
  readonly finalFocus?: RefObject<HTMLElement | null>;
  /** The effects of the action, and what it does not change. */
  readonly children: ReactNode;
}

/** Asks before something that cannot be undone, and shows why it failed. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { name, title, open, onClose, onConfirm, finalFocus, children } = props;
  const run = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  return (
    <Dialog title={title} open={open} onClose={onClose} {...(finalFocus && { finalFocus })}>
      <div>{children}</div>
      <Issue of={run.error} />
      <div className="actions">
        <Button main disabled={run.isPending} onClick={() => run.mutate()}>
          {run.isPending ? 'In progress…' : name}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
