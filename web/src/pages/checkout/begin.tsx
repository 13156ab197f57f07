import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { bytesToHex } from 'viem';
import { useLocation } from 'wouter';
import { MINE } from '../../account/use-session.ts';
import { api } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Issue } from '../../components/issue.tsx';
import { type Choice, checkoutPath, type Preview, usePreview } from '../../offer/use-offer.ts';
import { type Needs, useWalletCheck } from './use-wallet-check.ts';
import { WalletWarning } from './wallet-warning.tsx';

interface Props {
  readonly choice: Choice;
  /** The account that buys. */
  readonly address: string;
}

/** The button that begins the purchase at the price that is shown. */
export function Begin({ choice, address }: Props) {
  const preview = usePreview(choice).data?.data;
  // The order above says why there is none, or that it cannot be bought.
  if (preview === undefined || !preview.buyable) return null;
  return <BeginAt choice={choice} address={address} preview={preview} />;
}

function BeginAt({ choice, address, preview }: Props & { readonly preview: Preview }) {
  const { chainId, token, price, maxAmount, minPolicyVersion, skuHash } = preview;
  const needs: Needs = { chainId, address, token: token.address, amount: BigInt(price) };
  const { check, wallet, again } = useWalletCheck(needs);
  const keyOf = useOrderKeys();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const begin = useMutation({
    mutationFn: () => {
      const { campaignId, nodeId = '0' } = choice;
      const body = { campaignId, nodeId, skuHash, maxAmount, minPolicyVersion };
      return api.checkout.createIntent({ ...body, orderKey: keyOf(body) });
    },
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: [MINE, 'intents.list'] });
      navigate(checkoutPath({ ...choice, skuHash }, data.id), { replace: true });
    },
    // The price or the rules may have changed: the order above shows the new ones.
    onError: () => queries.invalidateQueries({ queryKey: ['checkout.preview'] }),
  });
  return (
    <Card title="Payment">
      <div className="stack start">
        <p>
          You pay <Amount value={price} token={token} /> from your wallet to the contract. Next you
          see each transaction before you sign it.
        </p>
        <WalletWarning check={check} needs={needs} token={token} wallet={wallet} onFixed={again} />
        <Button
          main
          disabled={check.kind !== 'ready' || begin.isPending}
          onClick={() => begin.mutate()}
        >
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
