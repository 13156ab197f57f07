import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Form } from '../../../components/form.tsx';
import { type RowAction, RowMenu } from '../../../components/row-menu.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Time } from '../../../components/time.tsx';
import { inputOf } from '../../../form-issues.ts';
import { count } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import type { ApiKey } from './api-key.ts';

interface Props {
  readonly apiKey: ApiKey;
  readonly onSecret: (secret: string) => void;
}

/** Menu of a key: usage, rotation, revocation. */
export function KeyMenu({ apiKey, onSecret }: Props) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [open, setOpen] = useState<'usage' | 'rotate'>();
  const trigger = useRef<HTMLButtonElement>(null);
  const { id, name, revokedAt, expiresAt } = apiKey;
  const isOver = revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());
  async function revoke() {
    await api.apiKeys.revoke({ id });
    await queries.invalidateQueries({ queryKey: [...key, 'apiKeys.list'] });
  }
  const close = () => setOpen(undefined);
  const actions: RowAction[] = [
    { name: 'Usage', run: () => setOpen('usage') },
    { name: 'Rotate', disabled: isOver, run: () => setOpen('rotate') },
    {
      name: 'Revoke',
      disabled: isOver,
      ask: {
        title: `Revoke ${name}?`,
        text: 'Programs that use it are refused from now on. This cannot be undone.',
      },
      run: revoke,
    },
  ];
  const dialog = { onClose: close, finalFocus: trigger };
  return (
    <>
      <RowMenu of={name} actions={actions} trigger={trigger} />
      <Dialog title={`Usage of ${name}`} open={open === 'usage'} {...dialog}>
        <Usage id={id} />
      </Dialog>
      <Dialog title={`Rotate ${name}`} open={open === 'rotate'} {...dialog}>
        <Rotate
          id={id}
          onSecret={(secret) => {
            close();
            onSecret(secret);
          }}
        />
      </Dialog>
    </>
  );
}

const overlaps = [
  ['0', 'Immediately'],
  ['3600', 'In an hour'],
  ['86400', 'In a day'],
  ['604800', 'In 7 days'],
] as const;

function Rotate({ id, onSecret }: { readonly id: string; readonly onSecret: Props['onSecret'] }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { overlap: '86400' } });
  async function rotate({ overlap }: { overlap: string }) {
    const { data } = await api.apiKeys.rotate({ id, overlapSeconds: Number(overlap) });
    await queries.invalidateQueries({ queryKey: [...key, 'apiKeys.list'] });
    onSecret(data.secret);
  }
  return (
    <Form form={form} onSubmit={rotate} name="Make the new key">
      <p>The new key has the same rights. Replace the old one before it ends.</p>
      <SelectField label="The old key ends" {...inputOf(form, 'overlap')} options={overlaps} />
      <p className="soft">Your wallet confirms this with a signature.</p>
    </Form>
  );
}

function Usage({ id }: { readonly id: string }) {
  const { api, key } = useActing();
  const query = useApi([...key, 'apiKeys.usage'], api.apiKeys.usage, { id });
  return (
    <Answered query={query} what="The usage">
      {({ data }) =>
        data.requests.length === 0 ? (
          <Empty>It was not used in the last 30 days.</Empty>
        ) : (
          <>
            <p>
              Requests in 30 days:{' '}
              {totalsOf(data.hourly)
                .map(([name, requests]) => `${count(requests)} × ${name}`)
                .join(', ')}
            </p>
            <DataTable
              caption="Newest requests"
              rows={data.requests}
              rowKey={({ requestId }) => requestId}
              columns={[
                { name: 'When', cell: ({ at }) => <Time at={at} /> },
                { name: 'Request', cell: ({ method, path }) => `${method} ${path}` },
                { name: 'Status', numeric: true, cell: ({ status }) => status },
                {
                  name: 'Time',
                  numeric: true,
                  cell: ({ latencyMs }) => `${Math.round(latencyMs)} ms`,
                },
              ]}
            />
          </>
        )
      }
    </Answered>
  );
}

/** Requests by class of status. */
function totalsOf(hourly: readonly { readonly statusClass: string; readonly count: number }[]) {
  const totals = new Map<string, number>();
  for (const { statusClass, count } of hourly) {
    totals.set(statusClass, (totals.get(statusClass) ?? 0) + count);
  }
  return [...totals].sort(([a], [b]) => a.localeCompare(b));
}
