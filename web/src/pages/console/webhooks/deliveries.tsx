import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { Client } from '../../../../../engine/client/index.ts';
import { type DataOf, useApi, usePages } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Check } from '../../../components/check.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldRow, Form } from '../../../components/form.tsx';
import { Hash } from '../../../components/hash.tsx';
import { Issue } from '../../../components/issue.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { inputOf } from '../../../form-issues.ts';
import { countOf } from '../../../format.ts';
import { checkedValue, readTime, timeText } from '../../../read-input.ts';
import { useActing, useMay } from '../acting.tsx';
import shared from '../console.module.css';
import styles from './webhooks.module.css';

type Delivery = DataOf<Client['webhooks']['deliveries']>['items'][number];

const tones: Readonly<Record<Delivery['status'], Tone>> = {
  queued: 'warn',
  sending: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

/** Deliveries to an endpoint with their attempts; each can be sent again, and so can those of a period. */
export function Deliveries({ endpointId }: { readonly endpointId: string }) {
  const { api, key } = useActing();
  const [shown, setShown] = useState<string>();
  const [replaying, setReplaying] = useState(false);
  const input = { id: endpointId, limit: 20 };
  const pages = usePages([...key, 'webhooks.deliveries'], api.webhooks.deliveries, input, isSoon);
  const may = useMay('admin');
  return (
    <>
      <ListCard
        title="Deliveries of 30 days"
        caption="Deliveries"
        aside={
          <span className="actions tight">
            <Button onClick={() => void pages.query.refetch()}>Refresh</Button>
            <Button disabled={!may} onClick={() => setReplaying(true)}>
              Send a period again
            </Button>
          </span>
        }
        pages={pages}
        rowKey={({ id }) => id}
        empty="Nothing was sent yet. Send a test event."
        columns={[
          { name: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { name: 'Event', cell: ({ type }) => type },
          { name: 'Id', cell: ({ eventId }) => <Hash value={eventId} label="event" /> },
          {
            name: 'State',
            cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge>,
          },
          { name: 'Attempt', numeric: true, cell: ({ attempt }) => attempt },
          { name: 'Answer', numeric: true, cell: ({ httpStatus }) => httpStatus ?? '–' },
          {
            name: 'Next attempt',
            cell: ({ nextAttemptAt }) => (nextAttemptAt ? <Time at={nextAttemptAt} /> : '–'),
          },
          {
            name: 'Details',
            cell: ({ id }) => <Button onClick={() => setShown(id)}>Show</Button>,
          },
        ]}
      />
      <Dialog
        title="Webhook delivery"
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
      >
        {shown !== undefined && <Delivered id={shown} />}
      </Dialog>
      <Dialog title="Send a period again" open={replaying} onClose={() => setReplaying(false)}>
        <ReplayRange endpointId={endpointId} />
      </Dialog>
    </>
  );
}

/** True if an attempt runs or is about to: then the list is worth reading again. */
function isSoon({ status, nextAttemptAt }: Delivery): boolean {
  if (status === 'sending') return true;
  if (status !== 'queued') return false;
  return nextAttemptAt === null || Date.parse(nextAttemptAt) < Date.now() + 15_000;
}

/** A delivery with its body and its attempts; it can be sent again. */
function Delivered({ id }: { readonly id: string }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const may = useMay('admin');
  const query = useApi([...key, 'webhooks.delivery'], api.webhooks.delivery, { id });
  const replay = useMutation({
    mutationFn: () => api.webhooks.replay({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  return (
    <Answered query={query} what="The delivery">
      {({ data }) => (
        <>
          <p>
            {data.type} <Hash value={data.eventId} label="event" />
          </p>
          <pre className={shared.code}>{JSON.stringify(data.body, null, 2)}</pre>
          {data.attempts.length === 0 ? (
            <p>It was not attempted yet.</p>
          ) : (
            <DataTable
              caption="Attempts"
              rows={data.attempts}
              rowKey={({ at }) => at}
              columns={[
                { name: 'When', cell: ({ at }) => <Time at={at} /> },
                { name: 'Answer', numeric: true, cell: ({ httpStatus }) => httpStatus ?? '–' },
                { name: 'Time', numeric: true, cell: ({ latencyMs }) => `${latencyMs} ms` },
                {
                  name: 'What came back',
                  cell: ({ error, excerpt }) => (
                    <span className={styles.url}>{error ?? excerpt ?? ''}</span>
                  ),
                },
              ]}
            />
          )}
          <Issue of={replay.error} />
          {replay.isSuccess ? (
            <p role="status">It is sent again, under the same id.</p>
          ) : (
            <Button main disabled={!may || replay.isPending} onClick={() => replay.mutate()}>
              Send again
            </Button>
          )}
        </>
      )}
    </Answered>
  );
}

const DAY_MS = 86_400_000;

function ReplayRange({ endpointId }: { readonly endpointId: string }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: (input: Parameters<typeof api.webhooks.replayRange>[0]) =>
      api.webhooks.replayRange(input),
  });
  const defaultValues = {
    from: timeText(new Date(Date.now() - DAY_MS).toISOString()),
    to: timeText(new Date(Date.now() + 60_000).toISOString()),
    onlyFailed: true,
  };
  const form = useForm({ defaultValues });
  async function send({ from, to, onlyFailed }: typeof defaultValues) {
    const range = { from: checkedValue(readTime(from)), to: checkedValue(readTime(to)) };
    await replay.mutateAsync({ id: endpointId, range, onlyFailed });
    await queries.invalidateQueries({ queryKey: [...key, 'webhooks.deliveries'] });
  }
  const time = (text: string) => readTime(text).issue;
  return (
    <Form
      form={form}
      onSubmit={send}
      name="Send again"
      fieldOf={(path) => path.replace(/^range\./, '')}
    >
      <p>The oldest 1,000 events of the period that were not retracted.</p>
      <FieldRow>
        <Field label="From (your time)" type="datetime-local" {...inputOf(form, 'from', time)} />
        <Field label="To (your time)" type="datetime-local" {...inputOf(form, 'to', time)} />
      </FieldRow>
      <Check label="Only those that failed" {...form.register('onlyFailed')} />
      {replay.isSuccess && (
        <p role="status">{countOf(replay.data.data.replayed, 'event')} will be sent again.</p>
      )}
    </Form>
  );
}
