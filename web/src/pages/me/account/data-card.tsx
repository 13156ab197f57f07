import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MINE, SESSION_KEY } from '../../../account/session.ts';
import { api, type DataOf } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Issue } from '../../../components/issue.tsx';
import { saveFile } from '../../../save-file.ts';
import styles from '../me.module.css';

type Deletion = DataOf<typeof api.account.delete>;

/** Data that the service stores about the account: to save as a file, and to delete. */
export function DataCard({ address }: { readonly address: string }) {
  const [open, setOpen] = useState(false);
  const download = useMutation({ mutationFn: () => saveExport(address) });
  return (
    <Card title="Your data">
      <div className="stack">
        <p>
          Save everything that this service stores about your account as a file, or delete it. What
          is on the chain stays there: it cannot be deleted.
        </p>
        <div className={styles.row}>
          <Button disabled={download.isPending} onClick={() => download.mutate()}>
            {download.isPending ? 'Reading…' : 'Download my data'}
          </Button>
          <Button onClick={() => setOpen(true)}>Delete my account</Button>
        </div>
        <Issue of={download.error} />
      </div>
      <DeleteDialog open={open} onClose={() => setOpen(false)} />
    </Card>
  );
}

/** Reads all pages of the export, and lets the browser save them as one file. */
async function saveExport(address: string): Promise<void> {
  const lines: string[] = [];
  for await (const item of api.pages(api.account.export, { limit: 100 })) {
    lines.push(JSON.stringify(item));
  }
  const file = new Blob([`[\n${lines.join(',\n')}\n]\n`], { type: 'application/json' });
  saveFile(`tributary-${address}.json`, file);
}

interface DeleteDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Says what a deletion does, lets the wallet confirm it, and shows what became of it. */
function DeleteDialog({ open, onClose }: DeleteDialogProps) {
  const queries = useQueryClient();
  const run = useMutation({ mutationFn: async () => (await api.account.delete({})).data });
  const deletion = run.data;
  const isDeleted = deletion?.deleted === true;
  function close() {
    onClose();
    if (isDeleted) {
      queries.setQueryData(SESSION_KEY, null);
      queries.removeQueries({ queryKey: [MINE] });
    }
    run.reset();
  }
  return (
    <Dialog
      title={isDeleted ? 'Your account is deleted' : 'Delete your account?'}
      open={open}
      onClose={close}
    >
      {deletion?.deleted ? <Remaining deletion={deletion} /> : <Effects />}
      <Issue of={run.error} />
      {deletion && !isDeleted && <Blockers deletion={deletion} />}
      <div className="actions">
        {!isDeleted && (
          <Button main disabled={run.isPending} onClick={() => run.mutate()}>
            {run.isPending ? 'In progress…' : 'Delete for good'}
          </Button>
        )}
        <Button onClick={close}>{isDeleted ? 'Close' : 'Cancel'}</Button>
      </div>
    </Dialog>
  );
}

function Effects() {
  return (
    <div>
      <p>This cannot be undone. It happens immediately, after your wallet signed a confirmation:</p>
      <ul>
        <li>
          You are signed out everywhere. API keys and webhooks stop, and no more mails are sent.
        </li>
        <li>
          Your profiles, handle, e-mail address, drafts, templates, labels, invitations, checkouts
          and reports are deleted, and the text of your messages about refunds.
        </li>
        <li>What you published stays for its buyers, archived and without your profile.</li>
        <li>
          Your address, sales, links and rewards stay on the chain. You can still claim there.
        </li>
      </ul>
    </div>
  );
}

function Blockers({ deletion }: { readonly deletion: Deletion }) {
  return (
    <div role="alert">
      <p>It is not deleted, because this is open:</p>
      <ul>
        {deletion.blockers.map(({ kind, message }) => (
          <li key={kind}>{message}</li>
        ))}
      </ul>
    </div>
  );
}

function Remaining({ deletion }: { readonly deletion: Deletion }) {
  return (
    <div role="status">
      <p>What remains:</p>
      <ul>
        {deletion.remains.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}
