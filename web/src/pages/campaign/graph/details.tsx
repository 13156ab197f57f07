import { AddressLink } from '../../../components/address-link.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Time } from '../../../components/time.tsx';
import { count, percent } from '../../../format.ts';
import type { ForestNode } from './forest.ts';
import styles from './graph.module.css';

interface DetailsProps {
  readonly node: ForestNode;
  /** It and its ancestors, nearest first. */
  readonly path: readonly ForestNode[];
  readonly weightsBps: readonly number[];
}

const known = (value: number | null) => (value === null ? null : count(value));

/** The chosen link, and who earns from a sale through it. */
export function Details({ node, path, weightsBps }: DetailsProps) {
  const levels = path.map((one, index) => ({ node: one, level: index + 1 }));
  return (
    <section className={styles.details} aria-label={`Link ${node.nodeId}`}>
      <h3>Link {node.nodeId}</h3>
      <Facts
        facts={[
          ['Owner', <AddressLink key="owner" address={node.owner} to="distributors" />],
          ['Handle', node.ownerHandle],
          [
            'Referral code',
            node.code && (
              <>
                <code>{node.code}</code> <CopyButton text={node.code} label="referral code" />
              </>
            ),
          ],
          ['Depth in the graph', known(node.depth)],
          ['Links under it', known(node.childCount)],
          ['Sales it made', known(node.sales)],
          ['Joined', <Time key="joined" at={node.joinedAt} />],
        ]}
      />
      <h3>Who earns from a sale through this link</h3>
      <DataTable
        caption="The path from the link up to its root"
        rows={levels}
        rowKey={({ level }) => String(level)}
        columns={[
          { name: 'Level', cell: ({ level }) => level },
          { name: 'Link', cell: (row) => row.node.nodeId },
          {
            name: 'Owner',
            cell: (row) => (
              <AddressLink
                address={row.node.owner}
                to="distributors"
                name={row.node.ownerHandle ?? undefined}
              />
            ),
          },
          { name: 'Weight', numeric: true, cell: ({ level }) => weightOf(weightsBps, level) },
        ]}
      />
    </section>
  );
}

function weightOf(weightsBps: readonly number[], level: number): string {
  const weight = weightsBps[level - 1];
  return weight === undefined ? 'beyond the levels' : percent(weight);
}
