import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { useApi, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { Facts } from '../../../components/facts.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { Time } from '../../../components/time.tsx';
import { countOf, groupDigits, words } from '../../../format.ts';
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
                  ['Links', groupDigits(String(partner.linkCount))],
                  ['Joined under it', countOf(childrenOf(nodes), 'link')],
                  ['Direct sales', groupDigits(String(partner.directSales))],
                  ['Sales below', groupDigits(String(partner.networkSales))],
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
      <Card title="Rewards of its sales">
        <PagedTable
          caption="Rewards of its sales"
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
            {
              name: 'Paid',
              numeric: true,
              cell: ({ saleAmount, token }) => <Amount value={saleAmount} token={token} />,
            },
            {
              name: 'Reward',
              numeric: true,
              cell: ({ amount, token }) => <Amount value={amount} token={token} />,
            },
            { name: 'State', cell: ({ state }) => <Badge tone="plain">{words(state)}</Badge> },
            { name: 'Recorded', cell: ({ recordedAt }) => <Time at={recordedAt} /> },
          ]}
        />
      </Card>
    </>
  );
}

function childrenOf(nodes: readonly { readonly childCount: number }[]): number {
  return nodes.reduce((sum, { childCount }) => sum + childCount, 0);
}
