import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { useApi, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { Facts } from '../../../components/facts.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { count, countOf, words } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { invitePath, orderPath, sectionPath } from '../paths.ts';

/** One partner: its record with the merchant, and every sale that rewarded it. */
export function PartnerView({ address: text }: { readonly address: string }) {
  const { api, key } = useActing();
  // The API checks the address of the page.
  const address = text as `0x${string}`;
  const query = useApi([...key, 'partners.get'], api.partners.get, { address });
  const sales = usePages([...key, 'partners.sales'], api.partners.sales, { address, limit: 25 });
  return (
    <>
      <p>
        <Link href={sectionPath('partners')}>All partners</Link>
      </p>
      <Answered query={query} what="The partner">
        {({ data: { partner, nodes }, meta }) => {
          const { token } = meta;
          const rewards = (name: keyof typeof partner.rewards) =>
            token && <Amount key={name} value={partner.rewards[name]} token={token} />;
          return (
            <Card
              title={partner.displayName ?? partner.handle ?? 'Partner'}
              aside={<Link href={invitePath(address)}>Invite to a campaign</Link>}
            >
              <Facts
                facts={[
                  ['Address', <AddressLink key="address" address={address} to="distributors" />],
                  ['Links', count(partner.linkCount)],
                  ['Joined under it', countOf(childrenOf(nodes), 'link')],
                  ['Direct sales', count(partner.directSales)],
                  ['Sales below', count(partner.networkSales)],
                  [
                    'Value of its sales',
                    token && <Amount key="v" value={partner.settledValue} token={token} />,
                  ],
                  ['Rewards on hold', rewards('atRisk')],
                  ['Ready to finalize', rewards('readyToFinalize')],
                  ['Claimable', rewards('claimable')],
                  ['Claimed', rewards('claimed')],
                  ['Since', <Time key="since" at={partner.firstLinkAt} />],
                ]}
              />
              <AsOf meta={meta} />
            </Card>
          );
        }}
      </Answered>
      <ListCard
        title="Rewards of its sales"
        pages={sales}
        empty="No sale has rewarded this partner yet."
        rowKey={({ saleId, level, nodeId }) => `${saleId}/${level}/${nodeId}`}
        columns={[
          {
            name: 'Order',
            cell: ({ saleId }) => <Link href={orderPath(saleId)}>{saleId}</Link>,
          },
          {
            name: 'Campaign',
            cell: ({ campaignId }) => (
              <Link href={pathOf('campaign', { campaignId })}>{campaignId}</Link>
            ),
          },
          { name: 'Level', numeric: true, cell: ({ level }) => String(level) },
          column.amount('Paid', 'saleAmount'),
          column.amount('Reward', 'amount'),
          { name: 'State', cell: ({ state }) => <Badge tone="plain">{words(state)}</Badge> },
          { name: 'Recorded', cell: ({ recordedAt }) => <Time at={recordedAt} /> },
        ]}
      />
    </>
  );
}

function childrenOf(nodes: readonly { readonly childCount: number }[]): number {
  return nodes.reduce((sum, { childCount }) => sum + childCount, 0);
}
