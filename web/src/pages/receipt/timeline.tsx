import { api, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import { Finality } from '../../components/finality.tsx';
import { Hash } from '../../components/hash.tsx';
import { Time } from '../../components/time.tsx';
import { groupDigits } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';
import { eventText } from './event-text.ts';
import styles from './receipt.module.css';

/** Events of one sale that are read: a level or a refund each, so hardly ever more. */
const MAX_EVENTS = 100;

/** Events of the sale, oldest first, each with its transaction and finality. */
export function Timeline({ receipt }: { readonly receipt: Receipt }) {
  const { chainId, saleId, transitions, token } = receipt;
  const newest = transitions.at(-1);
  const key = ['receipts.events', chainId, saleId, newest?.blockHash, newest?.logIndex];
  const query = useApi(key, api.receipts.events, { chainId, saleId, limit: MAX_EVENTS });
  return (
    <Card title="What happened">
      <Answered query={query} what="The events of the sale">
        {({ data }) => (
          <>
            <ol className={styles.events}>
              {data.items.map((event) => (
                <li key={event.sequence} className={styles.event}>
                  <p>{eventText(event, token)}</p>
                  <p className={`soft ${styles.badges}`}>
                    <Time at={event.at} /> block {groupDigits(event.blockNumber)}
                    <Hash
                      value={event.transactionHash}
                      label="transaction hash"
                      href={event.tx.explorerUrl}
                    />
                    <Finality value={event.finality} />
                  </p>
                </li>
              ))}
            </ol>
            {data.nextCursor !== null && (
              <p className="soft">
                The first {MAX_EVENTS} events are shown. The{' '}
                <a href={`/v1/receipts/${chainId}/${saleId}/events`}>HTTP interface</a> has all.
              </p>
            )}
          </>
        )}
      </Answered>
    </Card>
  );
}
