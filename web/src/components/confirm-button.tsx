import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Issue } from './issue.tsx';

interface ConfirmButtonProps {
  /** Text of the button, and of the one that confirms: `Remove`. */
  readonly name: string;
  /** The question: `Remove Ada from the team?` */
  readonly title: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  /** The effects of the action, and what it does not change. */
  readonly children: ReactNode;
}

/** A button for something that cannot be undone: it asks first, and shows why it failed. */
export function ConfirmButton({ name, title, disabled, onConfirm, children }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false);
  const run = useMutation({ mutationFn: onConfirm, onSuccess: () => setOpen(false) });
  return (
    <>
      <Button disabled={disabled} onClick={() => setOpen(true)}>
        {name}
      </Button>
      <Dialog title={title} open={open} onClose={() => setOpen(false)}>
        <div>{children}</div>
        <Issue of={run.error} />
        <div className="actions">
          <Button main disabled={run.isPending} onClick={() => run.mutate()}>
            {run.isPending ? 'In progress…' : name}
          </Button>
          <Button onClick={() => setOpen(false)}>Cancel</Button>
        </div>
      </Dialog>
    </>
  );
}
