import { encode } from 'uqr';
import styles from './qr-code.module.css';

interface Props {
  readonly text: string;
  /** Description of its content, read out in its place. */
  readonly label: string;
}

/** A QR code, black on white in both themes, because some scanners read no other. */
export function QrCode({ text, label }: Props) {
  const { size, data } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      className={styles.code}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
