import { useId } from 'react';
import { chooseUnits, unitOptions, useUnits } from '../units.ts';

/** How all amounts are written. */
export function UnitsSelect({ className }: { readonly className?: string | undefined }) {
  const id = useId();
  const chosen = useUnits();
  return (
    <span className={className}>
      <label htmlFor={id}>Amounts</label>
      <select id={id} value={chosen} onChange={({ target }) => chooseUnits(target.value)}>
        {Object.entries(unitOptions).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
