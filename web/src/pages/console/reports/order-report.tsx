import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { Client } from '../../../../../engine/client/index.ts';
import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldRow, Form } from '../../../components/form.tsx';
import { Hash } from '../../../components/hash.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { periodOf } from '../../../filters/period.ts';
import { inputOf } from '../../../form-issues.ts';
import { countOf } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { useCampaignOptions } from '../own-campaigns.tsx';
import { kinds, type Report } from './kinds.ts';
import styles from './reports.module.css';

type Order = Parameters<Client['reports']['export']>[0];

const formats = [
  ['csv', 'CSV'],
  ['json', 'JSON'],
] as const;

const defaultValues = {
  kind: Object.keys(kinds)[0] as Report['kind'],
  format: 'csv' as Report['format'],
  campaignId: '',
  from: '',
  to: '',
};

/** Orders a report: its kind, its period and its campaign, with its first rows on request. */
export function OrderReport() {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [previewed, setPreviewed] = useState<Order>();
  const campaigns = useCampaignOptions();
  const form = useForm({ defaultValues });
  async function order(values: typeof defaultValues) {
    await api.reports.export(orderOf(values));
    await queries.invalidateQueries({ queryKey: [...key, 'reports.list'] });
  }
  return (
    <Card title="Order a report">
      <div className="stack">
        <Form
          form={form}
          onSubmit={order}
          name="Order"
          busy="Ordering…"
          saved="It is ordered. It is listed below, and can be downloaded in a moment."
          fieldOf={(path) => path.replace(/^range.*/, 'from')}
          aside={
            <Button onClick={() => setPreviewed(orderOf(form.getValues()))}>
              Show the first rows
            </Button>
          }
        >
          <FieldRow>
            <SelectField label="Rows" options={Object.entries(kinds)} {...inputOf(form, 'kind')} />
            <SelectField label="Format" options={formats} {...inputOf(form, 'format')} />
            <SelectField
              label="Campaign"
              options={[['', 'All'], ...campaigns]}
              {...inputOf(form, 'campaignId')}
            />
          </FieldRow>
          <FieldRow>
            <Field type="date" label="From (UTC)" {...inputOf(form, 'from')} />
            <Field type="date" label="To (UTC)" {...inputOf(form, 'to')} />
          </FieldRow>
          <p className="soft">
            Without dates it has all of history. Rows that name buyers need a fresh signature of
            your wallet.
          </p>
        </Form>
        {previewed && <Preview order={previewed} />}
      </div>
    </Card>
  );
}

function orderOf({ kind, format, campaignId, from, to }: typeof defaultValues): Order {
  const range = periodOf(from, to);
  return { kind, format, range, campaignIds: campaignId === '' ? undefined : [campaignId] };
}

function Preview({ order: { kind, range, campaignIds } }: { readonly order: Order }) {
  const { api, key } = useActing();
  const input = { kind, range, campaignIds, limit: 2 };
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
              { name: 'Column', cell: ({ name }) => <code className={styles.name}>{name}</code> },
              { name: 'Meaning', cell: ({ description }) => description },
              ...rows.map((cells, row) => ({
                name: `Row ${row + 1}`,
                cell: ({ index }: { readonly index: number }) => <Cell text={cells[index]} />,
              })),
            ]}
          />
        </>
      )}
    </Answered>
  );
}

/** Longest text of a cell that is shown as it is: a hash is longer. */
const MAX_SHOWN = 24;

/** A cell of a file, in a column that no hash makes wide. */
function Cell({ text }: { readonly text: string | null | undefined }) {
  if (!text) return <span className="soft">empty</span>;
  if (/^0x[0-9a-f]{40,}$/.test(text)) return <Hash value={text} label="value" />;
  return <span className={text.length > MAX_SHOWN ? styles.long : undefined}>{text}</span>;
}
