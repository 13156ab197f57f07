import styles from './avatar.module.css';

/** Fields of a side of the picture. */
const SIDE = 5;
/** Colours that every account has one of, by their hue in degrees. */
const HUES = [168, 204, 262, 322, 20, 44, 96];

interface AvatarProps {
  readonly address: string;
  /** `small` next to a line of text. */
  readonly size?: 'small' | 'large';
}

/** A picture of an account, made of its address: the same everywhere, and it says nothing that the address does not. */
export function Avatar({ address, size = 'small' }: AvatarProps) {
  const digits = address.toLowerCase().slice(2).padEnd(40, '0');
  const hue = HUES[digitAt(digits, 39) % HUES.length];
  const half = Math.ceil(SIDE / 2);
  const fields = Array.from({ length: SIDE * half }, (_none, i) => i).filter(
    (i) => digitAt(digits, i) % 2 === 1,
  );
  return (
    <svg
      className={`${styles.avatar} ${styles[size]}`}
      viewBox={`-1 -1 ${SIDE + 2} ${SIDE + 2}`}
      style={{ '--hue': hue } as React.CSSProperties}
      aria-hidden="true"
    >
      {fields.map((i) => {
        const [x, y] = [i % half, Math.floor(i / half)];
        return (
          <g key={i}>
            <rect x={x} y={y} width="1.02" height="1.02" />
            {x !== SIDE - 1 - x && <rect x={SIDE - 1 - x} y={y} width="1.02" height="1.02" />}
          </g>
        );
      })}
    </svg>
  );
}

function digitAt(digits: string, index: number): number {
  return Number.parseInt(digits[index] ?? '0', 16);
}
