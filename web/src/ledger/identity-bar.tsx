import { colourOf } from '../buckets.ts';
import { Amount } from '../components/amount.tsx';
import { Badge } from '../components/badge.tsx';
import { partBps, percentages, type Unit } from '../format.ts';
import { addsUp, type Identity, type Part } from './identities.ts';
import styles from './identity.module.css';

interface IdentityBarProps {
  readonly identity: Identity;
  readonly token: Unit;
}

/** The parts of a total side by side, the same as a table, and whether they add up to it. */
export function IdentityBar({ identity, token }: IdentityBarProps) {
  const { label, total, parts } = identity;
  const shares = percentages(parts.map(({ amount }) => amount));
  return (
    <div className={styles.identity}>
      <div className={styles.bar} aria-hidden="true">
        {parts.map((part) => (
          <span
            key={part.name}
            className={styles.part}
            style={{ flexGrow: growOf(part, parts), background: colourOf(part.name) }}
          />
        ))}
      </div>
      <table className={styles.parts}>
        <caption className="visually-hidden">{label}, and the parts of it</caption>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Amount</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part, index) => (
            <tr key={part.name}>
              <th scope="row">
                <span
                  className={styles.swatch}
                  style={{ background: colourOf(part.name) }}
                  aria-hidden="true"
                />
                {part.label}
              </th>
              <td>
                <Amount value={part.amount} token={token} />
              </td>
              <td className={styles.share}>{shares[index]}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Sum, added up here</th>
            <td>
              <Amount value={identity.sum} token={token} />
            </td>
            <td />
          </tr>
          <tr>
            <th scope="row">{label}</th>
            <td>
              <Amount value={total} token={token} />
            </td>
            <td className={styles.share}>
              {addsUp(identity) && <Badge tone="good">adds up</Badge>}
            </td>
          </tr>
        </tfoot>
      </table>
      {!addsUp(identity) && <Broken identity={identity} token={token} />}
    </div>
  );
}

/** A prominent message about an identity that does not hold. */
export function Broken({ identity, token }: IdentityBarProps) {
  const { difference, label } = identity;
  const amount = difference < 0n ? -difference : difference;
  return (
    <p className={styles.broken} role="alert">
      <strong>This does not add up.</strong> The parts are{' '}
      <Amount value={amount} token={token} exact /> {difference < 0n ? 'less' : 'more'} than "
      {label}".
    </p>
  );
}

/** How wide a part is: a picture of the amount, and never read back as one. */
function growOf({ amount }: Part, parts: readonly Part[]): number {
  const most = parts.reduce((so, part) => so + (part.amount > 0n ? part.amount : 0n), 0n);
  return amount <= 0n ? 0 : Number(partBps(amount, most)) + 1;
}
