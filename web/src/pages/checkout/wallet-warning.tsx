import { useMutation } from '@tanstack/react-query';
import { chainName } from '../../account/add-chain.ts';
import { chooseAccount, switchChain, type Wallet } from '../../account/wallet.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/button.tsx';
import { Issue } from '../../components/issue.tsx';
import { GetTestMoney } from '../../demo/get-test-money.tsx';
import { shortHex, type Unit } from '../../format.ts';
import styles from './checkout.module.css';
import type { Needs, WalletCheck } from './use-wallet-check.ts';

interface Props {
  readonly check: WalletCheck;
  readonly needs: Needs;
  readonly token: Unit;
  readonly wallet: Wallet | undefined;
  readonly onFixed: () => void;
}

/** A warning about the first thing that the wallet lacks, with a button that corrects it; nothing if it lacks nothing. */
export function WalletWarning({ check, needs, token, wallet, onFixed }: Props) {
  const fix = useMutation({
    mutationFn: async () => {
      if (wallet === undefined) return;
      if (check.kind === 'other-chain') await switchChain(wallet, needs.chainId);
      else await chooseAccount(wallet);
    },
    onSettled: onFixed,
  });
  const button = (name: string) => (
    <Button disabled={fix.isPending} onClick={() => fix.mutate()}>
      {name}
    </Button>
  );
  const text = () => {
    switch (check.kind) {
      case 'ready':
      case 'checking':
        return null;
      case 'no-wallet':
        return <p>This browser has no wallet to pay with. Open this page where your wallet is.</p>;
      case 'not-connected':
        return (
          <>
            <p>Your wallet is not connected to this page any more.</p>
            {button('Connect it')}
          </>
        );
      case 'other-account':
        return (
          <>
            <p>
              Your wallet shows the account {shortHex(check.account)}, and you signed in as{' '}
              {shortHex(needs.address)}. Choose that account in your wallet.
            </p>
            {button('Choose the account')}
          </>
        );
      case 'other-chain':
        return (
          <>
            <p>
              Your wallet is on {chainName(check.chainId)}, and this purchase is on{' '}
              {chainName(needs.chainId)}.
            </p>
            {button('Switch the chain')}
          </>
        );
      case 'too-little':
        return (
          <>
            <p>
              <strong>Too little {token.symbol}.</strong> Your account has{' '}
              <Amount value={check.balance} token={token} />, and needs{' '}
              <Amount value={needs.amount} token={token} />. Send{' '}
              <Amount value={needs.amount - check.balance} token={token} /> to it first.
            </p>
            <GetTestMoney address={needs.address} />
          </>
        );
    }
  };
  const content = text();
  if (content === null) return null;
  return (
    <div className={styles.warning} role="status">
      {content}
      <Issue of={fix.error} />
    </div>
  );
}
