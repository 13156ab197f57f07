import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { useRead } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { CampaignState } from '../../components/campaign-state.tsx';
import { Card } from '../../components/card.tsx';
import * as column from '../../components/columns.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { receiptColumns } from '../../components/receipt-columns.tsx';
import { Time } from '../../components/time.tsx';
import { count, countOf } from '../../format.ts';
import { type FoundLinks, type OwnedLink, readLinks, readSales } from './read-links.ts';

interface LinksCardsProps {
  readonly address: string;
  /** How many it has, over all campaigns. */
  readonly linkCount: number;
}

/** The campaigns that an account joined. */
export function LinksCard(props: LinksCardsProps) {
  const query = useLinks(props);
  return (
    <Card title="Links">
      <Answered query={query} what="the links">
        {({ data }) => <Links found={data} linkCount={props.linkCount} />}
      </Answered>
    </Card>
  );
}

/** The newest sales that the links of an account made. */
export function SalesCard(props: LinksCardsProps) {
  const query = useLinks(props);
  return (
    <Card title="Sales through its links">
      <Answered query={query} what="the links">
        {({ data: { links } }) => <Sales address={props.address} links={links} />}
      </Answered>
    </Card>
  );
}

/** Links of an account in the listed campaigns; both cards share the answer. */
function useLinks({ address, linkCount }: LinksCardsProps) {
  return useRead(['distributor.links', address, linkCount], (options) =>
    readLinks(address, linkCount, options),
  );
}

function Links({ found, linkCount }: { readonly found: FoundLinks; readonly linkCount: number }) {
  const { links, campaigns, more } = found;
  const missing = linkCount - links.length;
  return (
    <div className="stack">
      {links.length === 0 && <Empty>None of its links is in a listed campaign.</Empty>}
      {links.length > 0 && (
        <DataTable
          caption="Links and their campaigns"
          rows={links}
          rowKey={({ node }) => node.nodeId}
          columns={[
            {
              name: 'Link',
              cell: ({ node, campaign }) => (
                <Link href={`${pathOf('campaign', campaign)}?node=${node.nodeId}#graph`}>
                  <code>{node.code ?? node.nodeId}</code>
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
            { name: 'Joined', cell: ({ node }) => <Time at={node.joinedAt} /> },
            { name: 'Sales it made', numeric: true, cell: salesOf },
            column.count('Links under it', 'node.childCount'),
          ]}
        />
      )}
      {missing > 0 && (
        <p className="soft">
          {countOf(missing, 'link')} of {count(linkCount)} not found in{' '}
          {countOf(campaigns, 'listed campaign')}
          {more ? ', the newest ones' : ''}.
        </p>
      )}
    </div>
  );
}

function salesOf({ node: { sales } }: OwnedLink): string {
  return count(sales.pending + sales.finalized + sales.refunded);
}

interface SalesProps {
  readonly address: string;
  readonly links: readonly OwnedLink[];
}

function Sales({ address, links }: SalesProps) {
  const query = useRead(['distributor.sales', address, links.length], (options) =>
    readSales(links, options),
  );
  return (
    <Answered query={query} what="the receipts">
      {({ data }) =>
        data.length === 0 ? (
          <Empty>Its links made none of the newest 100 sales of their campaigns.</Empty>
        ) : (
          <div className="stack">
            <DataTable
              caption="Sales through its links"
              rows={data}
              rowKey={({ saleId }) => saleId}
              columns={receiptColumns}
            />
            <p className="soft">Those among the newest 100 sales of each campaign.</p>
          </div>
        )
      }
    </Answered>
  );
}
