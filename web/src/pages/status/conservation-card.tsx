import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, type Pages, useApi, usePages, useRead } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import * as column from '../../components/columns.tsx';
import { Hash } from '../../components/hash.tsx';
import { PagedTable } from '../../components/list.tsx';
import { count, groupDigits } from '../../format.ts';
import { campaignLedgers } from '../../ledger/campaign-ledgers.ts';
import { addsUp, identitiesOf } from '../../ledger/identities.ts';
import { Broken } from '../../ledger/identity-bar.tsx';
import { rootOf } from './root.ts';
import styles from './status.module.css';

type Digest = DataOf<typeof api.system.digest>;

/** Each campaign’s ledgers added up here, and the digest that two operators compare. */
export function ConservationCard() {
  const head = useApi(['system.digest'], api.system.digest, { limit: 1 });
  return (
    <Card
      title="Conservation"
      aside={
        <Button disabled={head.isFetching} onClick={() => void head.refetch()}>
          {head.isFetching ? 'Reading …' : 'Check again'}
        </Button>
      }
    >
      <Answered query={head} what="The digest">
        {({ data }) => <Campaigns key={data.block} head={data} />}
      </Answered>
    </Card>
  );
}

function Campaigns({ head: { block, root, campaigns } }: { readonly head: Digest }) {
  const pages = usePages(['system.digest'], api.system.digest, { block, limit: 20 });
  return (
    <div className="stack">
      <p>
        As of block {groupDigits(block)}. Each campaign’s deposits equal what is left, owed, paid
        and returned. Sale proceeds balance too. Your browser did the sums.
      </p>
      <PagedTable
        caption="Conservation by campaign"
        pages={pages}
        empty="No campaign is in the ledger yet."
        rowKey={({ campaignId }) => campaignId}
        columns={[
          {
            name: 'Campaign',
            cell: ({ campaignId }) => (
              <Link href={pathOf('campaign', { campaignId })}>Campaign {campaignId}</Link>
            ),
          },
          {
            name: 'Ledgers',
            cell: ({ campaignId }) => <Ledgers campaignId={campaignId} block={block} />,
          },
          column.count('Events', 'sequence'),
          { name: 'Digest', cell: ({ digest }) => <Hash value={digest} label="digest" /> },
        ]}
      />
      <div>
        <h3>Root of all digests</h3>
        <p>
          <Hash value={root} label="digest root" whole />
        </p>
        <Root pages={pages} root={root} campaigns={campaigns} />
      </div>
    </div>
  );
}

interface LedgersProps {
  readonly campaignId: string;
  readonly block: string;
}

/** Whether the ledgers of one campaign add up, all their sums made here. */
function Ledgers({ campaignId, block }: LedgersProps) {
  const query = useRead(['campaign.ledgers', campaignId, block], (options) =>
    campaignLedgers(campaignId, options, block),
  );
  if (query.data === undefined) {
    return query.error === null ? 'summing …' : `not read: ${query.error.message}`;
  }
  const { campaign, stats } = query.data.data;
  const identities = identitiesOf(campaign, stats);
  const broken = identities.filter((identity) => !addsUp(identity));
  if (broken.length === 0) {
    return <Badge tone="good">{identities.length} sums hold</Badge>;
  }
  return broken.map((identity) => (
    <Broken key={identity.name} identity={identity} token={campaign.token} />
  ));
}

interface RootProps {
  readonly pages: Pages<Digest['items'][number]>;
  readonly root: string;
  readonly campaigns: number;
}

/** The root made again from the digests of all campaigns, once they are here. */
function Root({ pages: { items }, root, campaigns }: RootProps) {
  if (items.length < campaigns) {
    return (
      <p className="soft">
        {items.length} of {count(campaigns)} digests are loaded. Load all to compute the root again.
      </p>
    );
  }
  return rootOf(items) === root ? (
    <p>
      <Badge tone="good">same root in your browser</Badge>
    </p>
  ) : (
    <p className={styles.broken} role="alert">
      These digests have another root: {rootOf(items)}.
    </p>
  );
}
