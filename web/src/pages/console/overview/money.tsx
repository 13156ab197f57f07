import { Link } from 'wouter';
import { useApi } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Empty } from '../../../components/empty.tsx';
import { useActing } from '../acting.tsx';
import { sectionPath } from '../paths.ts';

/** Proceeds and rewards of all campaigns now, by token. */
export function Money() {
  const { api, key } = useActing();
  const query = useApi([...key, 'vault.get'], api.vault.get, {});
  return (
    <Card title="Money now" aside={<Link href={sectionPath('vault')}>Claim and withdraw</Link>}>
      <Answered query={query} what="The vault" size={[4.7, 8.5]}>
        {({ data: { byToken } }) =>
          byToken.length === 0 ? (
            <Empty>There is no campaign on the chain yet, so there is no money.</Empty>
          ) : (
            <DataTable
              caption="Money now"
              rows={byToken}
              rowKey={({ token }) => token.address}
              columns={[
                { name: 'Token', cell: ({ token }) => token.symbol },
                {
                  name: 'Proceeds to claim',
                  numeric: true,
                  cell: ({ proceedsLedger, token }) => (
                    <Amount value={proceedsLedger.proceedsClaimable} token={token} />
                  ),
                },
                {
                  name: 'Proceeds on hold',
                  numeric: true,
                  cell: ({ proceedsLedger, token }) => (
                    <Amount value={proceedsLedger.proceedsPending} token={token} />
                  ),
                },
                {
                  name: 'Free for rewards',
                  numeric: true,
                  cell: ({ rewardLedger, token }) => (
                    <Amount value={rewardLedger.available} token={token} />
                  ),
                },
                {
                  name: 'Rewards on hold',
                  numeric: true,
                  cell: ({ rewardLedger, token }) => (
                    <Amount value={rewardLedger.pendingReserved} token={token} />
                  ),
                },
              ]}
            />
          )
        }
      </Answered>
    </Card>
  );
}
