import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Client } from '../../../../../engine/client/index.ts';
import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Field } from '../../../components/field.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { countOf } from '../../../format.ts';
import { issueAt } from '../../../issues.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { Issue } from '../issue.tsx';
import { CampaignSelect } from '../own-campaigns.tsx';
import { periodOf } from '../period.ts';
import { kinds, type Report } from './kinds.ts';

type Order = Parameters<Client['reports']['export']>[0];

/** Orders a report: its kind, its period and its campaign, with its first rows on request. */
export function OrderReport() {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [campaign, setCampaign] = useState('');
  const [previewed, setPreviewed] = useState<Order>();
  const order = useMutation({
    mutationFn: async (input: Order) => (await api.reports.export(input)).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: [...key, 'reports.list'] }),
  });
  function read(form: HTMLFormElement): Order {
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name) ?? '');
    const range = periodOf(text('from'), text('to'));
    return {
      kind: text('kind') as Report['kind'],
      format: text('format') as Report['format'],
      ...(range && { range }),
      ...(campaign !== '' && { campaignIds: [campaign] }),
    };
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    order.mutate(read(event.currentTarget));
  }
  return (
    <Card title="Order a report">
      <form className="stack" onSubmit={submit} noValidate>
        <div className={styles.fields}>
          <SelectField id="kind" name="kind" label="Rows">
            {Object.entries(kinds).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </SelectField>
          <SelectField id="format" name="format" label="Format">
            <option value="csv">CSV</option>
            <option value="json">JSON</option>
          </SelectField>
          <CampaignSelect id="campaign" value={campaign} onChange={setCampaign} all="All" />
          <Field
            id="from"
            name="from"
            type="date"
            label="From (UTC)"
            problem={issueAt(order.error, 'range')}
          />
          <Field id="to" name="to" type="date" label="To (UTC)" />
        </div>
        <p className="soft">
          Without dates it has all of history. Rows that name buyers need a fresh signature of your
          wallet.
        </p>
        <div className={styles.row}>
          <Button type="submit" main disabled={order.isPending}>
            {order.isPending ? 'Ordering…' : 'Order'}
          </Button>
          <Button onClick={({ currentTarget: { form } }) => form && setPreviewed(read(form))}>
            Show the first rows
          </Button>
        </div>
        <Issue error={order.error} shownAt={['range']} />
        {order.isSuccess && (
          <p role="status">It is ordered. It is listed below, and can be downloaded in a moment.</p>
        )}
      </form>
      {previewed && <Preview order={previewed} />}
    </Card>
  );
}

function Preview({ order: { kind, range, campaignIds } }: { readonly order: Order }) {
  const { api, key } = useActing();
  const input = { kind, ...(range && { range }), ...(campaignIds && { campaignIds }), limit: 2 };
  const query = useApi([...key, 'reports.preview'], api.reports.preview, input);
  return (
    <Answered query={query} what="The first rows">
      {({ data: { columns, rows, totalRows } }) => (
        <>
          <p className="soft">
            The report has {countOf(totalRows, 'row')}
            {rows.length > 0 && `; these are the first ${rows.length}`}.
          </p>
          <DataTable
            caption="Columns of the report"
            rows={columns.map((column, index) => ({ ...column, index }))}
            rowKey={({ name }) => name}
            columns={[
              { name: 'Column', cell: ({ name }) => <code>{name}</code> },
              { name: 'Meaning', cell: ({ description }) => description },
              ...rows.map((cells, row) => ({
                name: `Row ${row + 1}`,
                cell: ({ index }: { readonly index: number }) => cells[index] ?? '',
              })),
            ]}
          />
        </>
      )}
    </Answered>
  );
}
