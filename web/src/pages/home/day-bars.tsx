import { countOf, money, type Unit } from '../../format.ts';
import styles from './home.module.css';

/** Height of the picture, and width of a day, in its own units. */
const HEIGHT = 40;
const STEP = 8;

interface DayBarsProps {
  /** Name of the picture and of its table. */
  readonly title: string;
  /** Oldest first; `day` is the first moment of the day. Amounts are bigint, counts are numbers. */
  readonly days: readonly { readonly day: string; readonly value: number | bigint }[];
  /** Singular and plural of what is counted. */
  readonly noun?: readonly [one: string, many: string];
  /** Token of amounts. */
  readonly token?: Unit;
}

/** A bar for each day. The same numbers are in a table, for screen readers and for copying. */
export function DayBars({ title, days, noun = ['', ''], token }: DayBarsProps) {
  const write = (value: number | bigint) =>
    token ? money(BigInt(value), token) : countOf(value, ...noun);
  const highest = days.reduce(
    (most, { value }) => (BigInt(value) > most ? BigInt(value) : most),
    1n,
  );
  const shown = days.map(({ day, value }) => ({
    day: day.slice(0, 10),
    text: write(value),
    // A share of the picture's height; the amount itself stays exact in the text.
    height: Number((BigInt(value) * 1_000n) / highest) * (HEIGHT / 1_000),
  }));
  return (
    <>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${Math.max(1, shown.length) * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {shown.map(({ day, text, height }, i) => (
          <g key={day}>
            <rect className={styles.hit} x={i * STEP} y="0" width={STEP} height={HEIGHT}>
              <title>{`${day}: ${text}`}</title>
            </rect>
            <rect
              className={styles.bar}
              x={i * STEP + 1}
              y={HEIGHT - height}
              width={STEP - 2}
              height={height}
            />
          </g>
        ))}
      </svg>
      <details className={styles.table}>
        <summary>By day</summary>
        <table>
          <caption className="visually-hidden">{title}</caption>
          <tbody>
            {shown.toReversed().map(({ day, text }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
