import { api, type DataOf, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { Time } from '../../components/time.tsx';
import { count, countOf, groupDigits } from '../../format.ts';
import { useStatus } from '../../status.ts';

type Audit = NonNullable<DataOf<typeof api.system.audit>['last']>;

/** Milliseconds between two requests for a newer audit. */
const POLL_MS = 30_000;

/** The newest audit: all invariants, against the ledger itself and against the contract. */
export function AuditCard() {
  const query = useApi(
    ['system.audit'],
    api.system.audit,
    {},
    {
      refetchInterval: POLL_MS,
    },
  );
  return (
    <Card title="Last audit">
      <Answered query={query} what="The audit">
        {({ data: { last } }) =>
          last === null ? <Empty>No audit has run yet.</Empty> : <Result audit={last} />
        }
      </Answered>
    </Card>
  );
}

/** How old the audit is: what it has not seen. */
function Age({ audit: { block, finishedAt, campaigns } }: { readonly audit: Audit }) {
  const status = useStatus().data?.data;
  const settled = status?.settled?.number;
  if (status === undefined || settled === undefined) return null;
  const later = BigInt(settled) - BigInt(block.number);
  const added = status.counts.campaigns - campaigns;
  return (
    <p>
      Finished <Time at={finishedAt} />, for block {groupDigits(block.number)}.{' '}
      {later > 0n
        ? `It does not cover the ${countOf(later, 'block')} since then.`
        : 'That is the newest settled block.'}
      {added > 0 && ` ${countOf(added, 'campaign')} came later.`}
    </p>
  );
}

function Result({ audit }: { readonly audit: Audit }) {
  const { ok, block, durationMs, campaigns, discrepancies, violations } = audit;
  return (
    <div className="stack">
      <p>
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'no violation' : 'violated'}</Badge>{' '}
        {countOf(campaigns, 'campaign')} compared with their own sums and with the contract.
      </p>
      <Age audit={audit} />
      <Facts
        facts={[
          ['Time of its block', <Time key="block" at={block.timestamp} />],
          ['Took', `${count(durationMs)} ms`],
          ['Violations', count(violations.count)],
          ['Discrepancies', count(discrepancies)],
        ]}
      />
      {violations.items.length > 0 && (
        <DataTable
          caption="Violations"
          rows={violations.items.map((violation, index) => ({ ...violation, index }))}
          rowKey={({ index }) => String(index)}
          columns={[
            { name: 'Campaign', cell: ({ campaignId }) => campaignId },
            { name: 'Invariant', cell: ({ invariant }) => invariant },
            { name: 'Of', cell: ({ subject }) => subject ?? '–' },
            { name: 'Expected', numeric: true, cell: ({ expected }) => expected },
            { name: 'Found', numeric: true, cell: ({ actual }) => actual },
          ]}
        />
      )}
      {violations.count > violations.items.length && (
        <p className="soft">The first {violations.items.length} are shown.</p>
      )}
    </div>
  );
}
