import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { MINE } from '../../account/session.ts';
import { signTypedData, type Wallet } from '../../account/wallet.ts';
import { api, type DataOf } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Issue } from '../../components/issue.tsx';
import { Time } from '../../components/time.tsx';
import { type Choice, useCampaign, usePreview } from '../../offer/use-offer.ts';
import { useStatus } from '../../status.ts';
import { type JudgedSignature, judgeOrder, type PreparedOrder } from './judge-order.ts';
import { type Needs, useWalletCheck } from './use-wallet-check.ts';
import { WalletWarning } from './wallet-warning.tsx';

type Intent = DataOf<typeof api.checkout.getIntent>;
type Payment = NonNullable<PreparedOrder['payment']>;

/**
 * Offer of the service to send the purchase for signatures.
 * @returns `undefined` until the service has answered; `null` if it offers nothing, or does not answer.
 */
export function useOffer(intentId: string, isAsked: boolean): PreparedOrder | null | undefined {
  const query = useQuery({
    queryKey: [MINE, 'checkout.prepareOrder', intentId],
    queryFn: ({ signal }) => api.checkout.prepareOrder({ id: intentId }, { signal }),
    enabled: isAsked,
  });
  if (!isAsked || query.isError) return null;
  const offer = query.data?.data;
  return offer?.offered === false ? null : offer;
}

interface Props {
  readonly intent: Intent;
  readonly offer: PreparedOrder;
  readonly choice: Choice;
  /** The account that buys. */
  readonly address: string;
  /** Called if the buyer wants to pay by a transaction of its own. */
  readonly onDecline: () => void;
  readonly onFailed: (error: Error) => void;
  /** A button that gives the purchase up. */
  readonly cancel: ReactNode;
}

/** Paying by signatures alone: the service sends the purchase, and pays the gas. */
export function SignOrder({ intent, offer, choice, address, onDecline, onFailed, cancel }: Props) {
  const { id, chainId, token, amount, expiresAt, campaignId } = intent;
  const needs: Needs = { chainId, address, token: token.address, amount: BigInt(amount) };
  const { check, wallet, again } = useWalletCheck(needs);
  const queries = useQueryClient();
  const product = useCampaign(campaignId).data?.data.product.title;
  const seen = useSeen(choice);
  const pay = useMutation({
    mutationFn: async () => {
      if (wallet === undefined || seen === undefined || offer.payment === null) return;
      const toSign = judgeOrder({ ...seen, intent, buyer: address }, offer);
      const signatures = await signAll(wallet, address, toSign);
      await api.checkout.submitOrder({ id, payment: offer.payment, ...signatures });
    },
    onError: onFailed,
    // After a failure, too: the offer may have ended, or the order has arrived and only the answer was lost. The purchase
    // is read first: without its order, the end of the offer would lead to another payment.
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: [MINE, 'checkout.getIntent', id] });
      await queries.invalidateQueries({ queryKey: [MINE] });
    },
  });
  const isTwice = offer.signatures.length > 1;
  return (
    <Card title="Payment">
      <div className="stack start">
        <p>
          You sign that you buy {product ?? `the product of campaign ${campaignId}`} for{' '}
          <Amount value={amount} token={token} />, and nothing else.{' '}
          {words[offer.payment ?? 'allowance']}
        </p>
        <p>
          This service then sends the purchase and pays the gas for the merchant, so you need no
          coin of chain {chainId}. The order is valid until <Time exact at={expiresAt} />.
        </p>
        <WalletWarning check={check} needs={needs} token={token} wallet={wallet} onFixed={again} />
        <Button
          main
          disabled={check.kind !== 'ready' || seen === undefined || pay.isPending}
          onClick={() => pay.mutate()}
        >
          {pay.isPending
            ? 'In progress…'
            : isTwice
              ? 'Pay with two signatures'
              : 'Pay with one signature'}
        </Button>
        <Issue of={pay.error} />
        <Button quiet disabled={pay.isPending} onClick={onDecline}>
          Pay by a transaction instead
        </Button>
        {!pay.isPending && cancel}
      </div>
    </Card>
  );
}

/** Requests of the wallet, in words. */
const words: Readonly<Record<Payment, string>> = {
  authorization:
    'Your wallet asks once: to let the contract receive this amount from you, for this order alone.',
  permit:
    'Your wallet asks twice: to let the contract take this amount from you, and to buy for it.',
  allowance:
    'Your wallet asks once: to buy for at most this amount, which the contract may take already.',
};

/** The order as the page shows it, without the purchase; `undefined` until it is loaded. */
function useSeen(choice: Choice) {
  const deployment = useStatus().data?.data.deployment;
  const preview = usePreview(choice).data?.data;
  if (deployment === undefined || !preview?.buy) return undefined;
  const { termsHash, nodeOwner } = preview.buy;
  return {
    ...{ chainId: deployment.chainId, contract: deployment.contractAddress },
    ...{ campaignId: choice.campaignId, termsHash, skuHash: preview.skuHash },
    ...{ nodeId: choice.nodeId, nodeOwner },
  };
}

/** Lets the wallet sign one after the other. */
async function signAll(wallet: Wallet, account: string, toSign: readonly JudgedSignature[]) {
  const given = { orderSignature: '0x', tokenSignature: '0x' } as Record<
    'orderSignature' | 'tokenSignature',
    `0x${string}`
  >;
  for (const { name, data } of toSign) {
    const signature = await signTypedData(wallet, account, data);
    given[name === 'ORDER' ? 'orderSignature' : 'tokenSignature'] = signature;
  }
  return given;
}
