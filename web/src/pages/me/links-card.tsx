import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { MINE } from '../../account/use-session.ts';
import { api, usePages } from '../../api.ts';
import { Card } from '../../components/card.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { PagedTable } from '../../components/data-table.tsx';
import { Time } from '../../components/time.tsx';
import { groupDigits } from '../../format.ts';

const count = (value: number): string => groupDigits(String(value));

/** The links of the account, newest first. */
export function LinksCard() {
  const pages = usePages([MINE, 'links.mine'], (page, options) =>
    api.links.mine({ ...page, limit: 20 }, options),
  );
  return (
    <Card title="Links">
      <PagedTable
        caption="Your links"
        pages={pages}
        empty="This account has joined no campaign."
        rowKey={({ nodeId }) => nodeId}
        columns={[
          {
            name: 'Node',
            cell: ({ nodeId, campaign }) => (
              <Link href={`${pathOf('campaign', campaign)}?node=${nodeId}#graph`}>{nodeId}</Link>
            ),
          },
          {
            name: 'Campaign',
            cell: ({ campaign }) => (
              <Link href={pathOf('campaign', campaign)}>{campaign.product.title}</Link>
            ),
          },
          {
            name: 'Code',
            cell: ({ code }) =>
              code === null ? (
                'none'
              ) : (
                <span>
                  <code>{code}</code> <CopyButton text={code} label="referral code" />
                </span>
              ),
          },
          { name: 'Opened', numeric: true, cell: ({ opens }) => count(opens) },
          {
            name: 'Own sales',
            numeric: true,
            cell: ({ sales }) => count(sales.pending + sales.finalized + sales.refunded),
          },
          {
            name: 'Settled sales below it',
            numeric: true,
            cell: ({ networkSales }) => count(networkSales),
          },
          { name: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
        ]}
      />
    </Card>
  );
}
