import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { bytesToHex } from 'viem';
import { Link, useLocation } from 'wouter';
import { asksAnything } from '../../../../engine/core/buyer-details.ts';
import { MINE } from '../../account/session.ts';
import { api } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Issue } from '../../components/issue.tsx';
import { Refusals } from '../../offer/refusals.tsx';
import { type Choice, checkoutPath, type Preview, usePreview } from '../../offer/use-offer.ts';
import { type DetailsBody, DetailsForm } from '../../purchase/details-form.tsx';
import { type Needs, useWalletCheck } from './use-wallet-check.ts';
import { WalletWarning } from './wallet-warning.tsx';

interface Props {
  readonly choice: Choice;
  /** The account that buys. */
  readonly address: string;
}

/** The button that begins the purchase at the price that is shown. */
export function Begin({ choice, address }: Props) {
  const preview = usePreview(choice, address).data?.data;
  if (preview === undefined) return null;
  // The order above says what else prevents the purchase: it does not know the buyer.
  const own = preview.refusals.filter(({ code }) => code === 'SELF_REFERRAL');
  if (own.length > 0) return <OwnLink choice={choice} refusals={own} />;
  if (!preview.buyable) return null;
  return <BeginAt choice={choice} address={address} preview={preview} />;
}

/** The refusal of a purchase that would reward its buyer, and the way around it. */
function OwnLink({ choice, refusals }: Pick<Props, 'choice'> & Pick<Preview, 'refusals'>) {
  return (
    <Card title="Payment">
      <div className="stack start">
        <Refusals refusals={refusals} />
        <Link href={checkoutPath({ ...choice, nodeId: undefined })}>Buy without a link</Link>
      </div>
    </Card>
  );
}

function BeginAt({ choice, address, preview }: Props & { readonly preview: Preview }) {
  const { chainId, token, price, maxAmount, minPolicyVersion, skuHash, asks, merchant } = preview;
  const needs: Needs = { chainId, address, token: token.address, amount: BigInt(price) };
  const { check, wallet, again } = useWalletCheck(needs);
  const keyOf = useOrderKeys();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const begin = useMutation({
    mutationFn: async (details: DetailsBody | undefined) => {
      const { campaignId, nodeId = '0' } = choice;
      const body = { campaignId, nodeId, skuHash, maxAmount, minPolicyVersion };
      const begun = await api.checkout.createIntent({ ...body, orderKey: keyOf(body) });
      // Stored before the page's address names the purchase: a reload then continues with them.
      return details ? await api.checkout.saveDetails({ id: begun.data.id, ...details }) : begun;
    },
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: [MINE, 'intents.list'] });
      navigate(checkoutPath({ ...choice, skuHash }, data.id), { replace: true });
    },
    // The price or the rules may have changed: the order above shows the new ones.
    onError: () => queries.invalidateQueries({ queryKey: ['checkout.preview'] }),
  });
  const isReady = check.kind === 'ready';
  const terms: ReactNode = (
    <>
      <p>
        You pay <Amount value={price} token={token} /> from your wallet to the contract. Next you
        see what your wallet is asked for.
      </p>
      <WalletWarning check={check} needs={needs} token={token} wallet={wallet} onFixed={again} />
    </>
  );
  if (asksAnything(asks)) {
    return (
      <Card title="Contact and delivery">
        <DetailsForm
          asks={asks}
          merchant={merchant.name}
          onSubmit={(details) => begin.mutateAsync(details)}
          name="Continue to the payment"
          busy="Preparing…"
          disabled={!isReady}
        >
          {terms}
        </DetailsForm>
      </Card>
    );
  }
  return (
    <Card title="Payment">
      <div className="stack start">
        {terms}
        <Button main disabled={!isReady || begin.isPending} onClick={() => begin.mutate(undefined)}>
          {begin.isPending ? 'Preparing…' : 'Continue to the payment'}
        </Button>
        <Issue of={begin.error} />
      </div>
    </Card>
  );
}

/** Order keys by what is ordered: a request that is sent again has the same key, and begins nothing twice. */
function useOrderKeys(): (body: object) => `0x${string}` {
  const keys = useRef(new Map<string, `0x${string}`>());
  return (body) => {
    const name = JSON.stringify(body);
    const key = keys.current.get(name) ?? bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
    keys.current.set(name, key);
    return key;
  };
}
