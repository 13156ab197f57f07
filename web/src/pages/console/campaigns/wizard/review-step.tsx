import { useState } from 'react';
import { Link } from 'wouter';
import { Amount } from '../../../../components/amount.tsx';
import { Button } from '../../../../components/button.tsx';
import { Facts } from '../../../../components/facts.tsx';
import { Time } from '../../../../components/time.tsx';
import { groupDigits, type Unit } from '../../../../format.ts';
import { policyWords } from '../../../campaign/policy/policy-words.ts';
import { draftPath } from '../../paths.ts';
import styles from '../campaigns.module.css';
import { completeTerms, policyValues, validTerms } from '../policy-values.ts';
import { BudgetLine, Simulation } from '../simulation.tsx';
import { type Draft, labelOf, type StepProps, stepOf } from './draft.ts';
import { PublishStep } from './publish-step.tsx';

const trustNames = {
  NATIVE_ONCHAIN: 'Buyers pay the contract',
  MERCHANT_ATTESTED: 'You vouch for sales',
  THIRD_PARTY_VERIFIED: 'An attester vouches for sales',
} as const;

/** Everything of the draft, what is missing, and the way onto the chain. */
export function ReviewStep({ draft, product }: StepProps) {
  const [isPublishing, setPublishing] = useState(false);
  const token = product?.token;
  if (isPublishing) return <PublishStep draft={draft} token={token ?? null} />;
  return (
    <div className="stack">
      {token && <Terms draft={draft} token={token} title={product.title} />}
      {draft.issues.length > 0 && (
        <div role="status">
          <p>Before it can be published:</p>
          <ul className={styles.list}>
            {draft.issues.map(({ path, message }) => (
              <li key={path}>
                <Link href={`${draftPath(draft.id)}&step=${stepOf(path)}`}>{labelOf(path)}</Link>{' '}
                {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="actions">
        <Button main disabled={draft.issues.length > 0} onClick={() => setPublishing(true)}>
          Publish
        </Button>
        <span className="soft">Your wallet signs; nothing happens before.</span>
      </div>
    </div>
  );
}

interface TermsProps {
  readonly draft: Draft;
  readonly token: Unit;
  readonly title: string;
}

function Terms({ draft: { draft }, token, title }: TermsProps) {
  const { price, funding, policy, trustMode, startsAt, endsAt } = draft;
  const terms = policy && validTerms(policyValues(policy, token.decimals), token.decimals);
  return (
    <>
      <Facts
        facts={[
          ['Product', title],
          ['Price', price && <Amount key="price" value={price} token={token} />],
          ['Trust', trustMode && trustNames[trustMode]],
          ['Deposit', funding && <Amount key="funding" value={funding} token={token} />],
          ['First sale from', startsAt && <Time key="from" at={startsAt} />],
          ['No sale from', endsAt && <Time key="to" at={endsAt} />],
          ['Sales', draft.saleCapacity === undefined ? '' : groupDigits(`${draft.saleCapacity}`)],
          ['Links', draft.nodeCapacity === undefined ? '' : groupDigits(`${draft.nodeCapacity}`)],
          ['Who may join', draft.inviteOnly ? 'By invitation' : 'Everyone'],
        ]}
      />
      {terms && (
        <ul className={styles.list}>
          {policyWords(completeTerms(terms), token).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <BudgetLine
        terms={terms}
        price={price === undefined ? undefined : BigInt(price)}
        funding={funding === undefined ? undefined : BigInt(funding)}
      />
      <Simulation
        terms={terms}
        price={price === undefined ? undefined : BigInt(price)}
        token={token}
        available={funding === undefined ? undefined : BigInt(funding)}
      />
    </>
  );
}
