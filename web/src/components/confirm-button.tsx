import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

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
  return (
    <>
      <Button disabled={disabled} onClick={() => setOpen(true)}>
        {name}
      </Button>
      <ConfirmDialog {...{ name, title, open, onConfirm }} onClose={() => setOpen(false)}>
        {children}
      </ConfirmDialog>
    </>
  );
}
