import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { MINE } from '../../../account/use-session.ts';
import { api } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { issueAt } from '../../../issues.ts';
import styles from '../me.module.css';

interface LabelProps {
  readonly nodeId: string;
  /** Its name so far; `null` without one. */
  readonly label: string | null;
}

/** The name that an owner gave a link, to change in its place. Only the owner sees it. */
export function Label({ nodeId, label }: LabelProps) {
  const field = useId();
  const queries = useQueryClient();
  const [text, setText] = useState<string>();
  const save = useMutation({
    mutationFn: (next: string) =>
      api.links.label({ nodeId, label: next.trim() === '' ? null : next.trim() }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [MINE] });
      setText(undefined);
    },
  });
  if (text === undefined) {
    return (
      <span className={styles.label}>
        {label}
        <Button
          quiet
          aria-label={`${label === null ? 'Name it' : 'Rename'}: link ${nodeId}`}
          onClick={() => setText(label ?? '')}
        >
          {label === null ? 'Name it' : 'Rename'}
        </Button>
      </span>
    );
  }
  return (
    <form
      className={styles.row}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(text);
      }}
    >
      <Field
        id={field}
        label="Name of the link"
        maxLength={100}
        autoFocus
        value={text}
        problem={issueAt(save.error, 'label') ?? save.error?.message}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={save.isPending}>
        Save
      </Button>
      <Button quiet onClick={() => setText(undefined)}>
        Cancel
      </Button>
    </form>
  );
}
