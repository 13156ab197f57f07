import { Link } from 'wouter';
import { useApi } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Facts } from '../../../components/facts.tsx';
import { SaleState } from '../../../components/sale-state.tsx';
import { Time } from '../../../components/time.tsx';
import { useActing } from '../acting.tsx';
import { orderPath, sectionPath } from '../paths.ts';
import { TimeLeft } from '../time-left.tsx';
import styles from './disputes.module.css';
import { Respond } from './respond.tsx';
import { type Dispute, DisputeState, reasons } from './words.tsx';

/** One refund request: what is asked and until when, what was written, and the answer. */
export function DisputeView({ id }: { readonly id: string }) {
  const { api, key } = useActing();
  const query = useApi([...key, 'disputes.get'], api.disputes.get, { id });
  return (
    <>
      <p>
        <Link href={sectionPath('disputes')}>All refund requests</Link>
      </p>
      <Answered query={query} what="The refund request">
        {({ data }) => (
          <>
            <Card
              title={`Refund request for order ${data.saleId}`}
              aside={<DisputeState value={data.status} />}
            >
              <Head dispute={data} />
            </Card>
            <Card title="Messages">
              <Messages dispute={data} />
            </Card>
            <Respond dispute={data} />
          </>
        )}
      </Answered>
    </>
  );
}

function Head({ dispute }: { readonly dispute: Dispute }) {
  const { token, status, closedAt, acceptedAmount, refundedTotal } = dispute;
  const runs = closedAt === null && status !== 'withdrawn';
  return (
    <Facts
      facts={[
        ['Asked for', <Amount key="asked" value={dispute.requestedAmount} token={token} />],
        ['Reason', reasons[dispute.reason]],
        [
          status === 'accepted' ? 'Refund until' : 'Answer until',
          runs && <TimeLeft key="left" until={dispute.respondBy} />,
        ],
        ['The hold ends', <Time key="by" at={dispute.respondBy} />],
        [
          'Order',
          <Link key="order" href={orderPath(dispute.saleId)}>
            {dispute.saleId} · {dispute.product.title}
          </Link>,
        ],
        ['Variant', dispute.variant?.name],
        ['Buyer', <AddressLink key="buyer" address={dispute.buyer} />],
        ['Paid', <Amount key="paid" value={dispute.saleAmount} token={token} />],
        [
          'Accepted',
          acceptedAmount && <Amount key="accepted" value={acceptedAmount} token={token} />,
        ],
        [
          'Refunded so far',
          refundedTotal !== '0' && <Amount key="back" value={refundedTotal} token={token} />,
        ],
        ['State of the sale', <SaleState key="state" value={dispute.saleState} />],
        ['Asked', <Time key="opened" at={dispute.openedAt} />],
        ['Closed', closedAt && <Time key="closed" at={closedAt} />],
        ['Declined because', dispute.declineReason],
        ['Refund policy sold', dispute.refundPolicy],
      ]}
    />
  );
}

function Messages({ dispute: { messages } }: { readonly dispute: Dispute }) {
  return (
    <ol className={styles.messages}>
      {messages.map(({ id, from, text, at }) => (
        <li key={id} className={styles.message} data-from={from}>
          <p className="soft tiny">
            {from === 'buyer' ? 'Buyer' : 'You'} · <Time at={at} />
          </p>
          <p className="lines">{text}</p>
        </li>
      ))}
    </ol>
  );
}
