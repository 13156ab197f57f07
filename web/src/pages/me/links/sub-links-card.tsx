import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
import { count } from '../../../format.ts';
import { totalSales } from './rate.ts';

type OwnLink = DataOf<typeof api.links.mine>['items'][number];

/** Links that joined directly under a link. */
export function SubLinksCard({ link }: { readonly link: OwnLink }) {
  const { nodeId, campaign, code } = link;
  const { campaignId } = campaign;
  const { items, ...pages } = usePages([MINE, 'graph.forCampaign'], api.graph.forCampaign, {
    campaignId,
    root: nodeId,
    depthMax: 2,
    limit: 20,
  });
  const under = items.filter(({ parentNodeId }) => parentNodeId === nodeId);
  return (
    <ListCard
      title="Who joined under it"
      aside={
        <Link href={`${pathOf('campaign', campaign)}?node=${nodeId}#graph`}>In the graph</Link>
      }
      caption="Links under yours"
      pages={{ ...pages, items: under }}
      empty={`No link is under yours yet. Others join under it with your code${code === null ? '' : ` ${code}`}; then you may earn from their sales, too.`}
      rowKey={(node) => node.nodeId}
      columns={[
        { name: 'Link', cell: (node) => node.code ?? node.nodeId },
        {
          name: 'Owner',
          cell: ({ owner, ownerHandle }) => (
            <AddressLink
              address={owner}
              to="distributors"
              name={ownerHandle === null ? undefined : `@${ownerHandle}`}
            />
          ),
        },
        { name: 'Sales', numeric: true, cell: ({ sales }) => count(totalSales(sales)) },
        column.count('Links under it', 'childCount'),
        column.time('Joined', 'joinedAt'),
      ]}
    />
  );
}
