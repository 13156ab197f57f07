import type { api, DataOf } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Time } from '../../components/time.tsx';
import { count, words } from '../../format.ts';

type Rpc = DataOf<typeof api.system.status>['rpcs'][number];

/** Table of the service’s RPCs, as each part that asks them sees them. */
export function RpcCard({ rpcs }: { readonly rpcs: readonly Rpc[] }) {
  if (rpcs.length === 0) return null;
  return (
    <Card title="Blockchain nodes">
      <DataTable
        caption="RPCs of the service"
        rows={rpcs}
        rowKey={({ part, place }) => `${part} ${place}`}
        columns={[
          { name: 'RPC', cell: ({ part, place }) => `${words(part)}, ${place}` },
          { name: 'State', cell: (rpc) => <State rpc={rpc} /> },
          { name: 'Since', cell: ({ since }) => <Time at={since} /> },
          { name: 'Blocks of logs', numeric: true, cell: logBlocksOf },
          { name: 'Disagreements', numeric: true, cell: disagreementsOf },
        ]}
      />
    </Card>
  );
}

const tones = {
  ok: 'good',
  unused: 'plain',
  'rate-limited': 'warn',
  refused: 'bad',
  unreachable: 'bad',
  'other-chain': 'bad',
  behind: 'warn',
} as const;

function State({ rpc: { state, until } }: { readonly rpc: Rpc }) {
  return (
    <>
      <Badge tone={tones[state]}>{words(state)}</Badge>
      {until !== null && (
        <>
          {' '}
          until <Time exact at={until} />
        </>
      )}
    </>
  );
}

const logBlocksOf = ({ maxLogBlocks }: Rpc) =>
  maxLogBlocks === null ? 'no limit met' : `${count(maxLogBlocks)} at most`;

function disagreementsOf({ disagreements: { count: all, lastAbout } }: Rpc) {
  return lastAbout === null ? count(all) : `${count(all)}, last about ${lastAbout}`;
}
