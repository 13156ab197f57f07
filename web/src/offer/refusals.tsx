import styles from './offer.module.css';
import type { Preview } from './use-offer.ts';

const nextSteps: Partial<Record<Preview['refusals'][number]['code'], string>> = {
  NOT_FUNDED: 'Come back once the merchant has funded it.',
  NOT_STARTED: 'Come back then.',
  PAUSED: 'The merchant may resume it.',
  PAID_ELSEWHERE: 'Buy it in the merchant’s own shop; its page names the website.',
};

/** Why a product cannot be bought now, and what can be done about it. */
export function Refusals({ refusals }: Pick<Preview, 'refusals'>) {
  return (
    <div className={styles.refusals} role="status">
      <strong>It cannot be bought here now.</strong>
      {refusals.map(({ code, message }) => (
        <p key={code}>
          {message} {nextSteps[code]}
        </p>
      ))}
    </div>
  );
}
