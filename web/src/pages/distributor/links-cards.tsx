import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { CampaignState } from '../../components/campaign-state.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { receiptColumns } from '../../components/receipt-columns.tsx';
import { Time } from '../../components/time.tsx';
import { countOf, groupDigits } from '../../format.ts';
import styles from './distributor.module.css';
import { type FoundLinks, type OwnedLink, readLinks, readSales } from './read-links.ts';

interface LinksCardsProps {
  readonly address: string;
  /** How many it has, over all campaigns. */
  readonly linkCount: number;
}

/** The campaigns that an account joined, and the sales that its links made. */
export function LinksCards({ address, linkCount }: LinksCardsProps) {
  const query = useApi(['distributor.links', address, linkCount], (options) =>
    readLinks(address, linkCount, options),
  );
  const links = query.data?.data.links;
  return (
    <>
      <Card title="Links">
        <Answered query={query} what="The links">
          {({ data }) => <Links found={data} linkCount={linkCount} />}
        </Answered>
      </Card>
      {links !== undefined && links.length > 0 && <Sales address={address} links={links} />}
    </>
  );
}

function Links({ found, linkCount }: { readonly found: FoundLinks; readonly linkCount: number }) {
  const { links, campaigns, more } = found;
  const missing = linkCount - links.length;
  return (
    <div className={styles.stack}>
      {links.length === 0 && <Empty>None of its links is in a listed campaign.</Empty>}
      {links.length > 0 && (
        <DataTable
          caption="Links and their campaigns"
          rows={links}
          rowKey={({ node }) => node.nodeId}
          columns={[
            {
              name: 'Node',
              cell: ({ node, campaign }) => (
                <Link href={`${pathOf('campaign', campaign)}?node=${node.nodeId}#graph`}>
                  {node.nodeId}
                </Link>
              ),
            },
            {
              name: 'Campaign',
              cell: ({ campaign }) => (
                <Link href={pathOf('campaign', campaign)}>{campaign.product.title}</Link>
              ),
            },
            {
              name: 'State',
              cell: ({ campaign: { state } }) => <CampaignState value={state} />,
            },
            { name: 'Code', cell: ({ node }) => <code>{node.code}</code> },
            { name: 'Joined', cell: ({ node }) => <Time at={node.joinedAt} /> },
            { name: 'Sales it made', numeric: true, cell: salesOf },
            {
              name: 'Links under it',
              numeric: true,
              cell: ({ node }) => groupDigits(String(node.childCount)),
            },
          ]}
        />
      )}
      {missing > 0 && (
        <p className={styles.soft}>
          {countOf(missing, 'link')} of {groupDigits(String(linkCount))} not found in{' '}
          {countOf(campaigns, 'listed campaign')}
          {more ? ', the newest ones' : ''}.
        </p>
      )}
    </div>
  );
}

function salesOf({ node: { sales } }: OwnedLink): string {
  return groupDigits(String(sales.pending + sales.finalized + sales.refunded));
}

interface SalesProps {
  readonly address: string;
  readonly links: readonly OwnedLink[];
}

function Sales({ address, links }: SalesProps) {
  const query = useApi(['distributor.sales', address, links.length], (options) =>
    readSales(links, options),
  );
  return (
    <Card title="Receipts">
      <Answered query={query} what="The receipts">
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Its links made none of the newest 100 sales of their campaigns.</Empty>
          ) : (
            <div className={styles.stack}>
              <DataTable
                caption="Sales through its links"
                rows={data}
                rowKey={({ saleId }) => saleId}
                columns={receiptColumns}
              />
              <p className={styles.soft}>Of the newest 100 sales of each campaign.</p>
            </div>
          )
        }
      </Answered>
    </Card>
  );
}
