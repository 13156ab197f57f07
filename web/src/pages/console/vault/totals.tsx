import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { useActing } from '../acting.tsx';
import { Ledgers } from './ledgers.tsx';

/** Ledgers of all campaigns together, for each token. */
export function Totals() {
  const { api, key } = useActing();
  const query = useApi([...key, 'vault.get'], api.vault.get, {});
  return (
    <Card title="All campaigns" aside={<AsOf meta={query.data?.meta} />}>
      <Answered query={query} what="The vault" size={[19.9, 51]}>
        {({ data: { byToken } }) =>
          byToken.length === 0 ? (
            <Empty>
              There is no campaign yet. Its vault appears here once it is on the chain and funded.
            </Empty>
          ) : (
            <div className="stack">
              {byToken.map((ledgers) => (
                <Ledgers key={ledgers.token.address} ledgers={ledgers} />
              ))}
            </div>
          )
        }
      </Answered>
    </Card>
  );
}
