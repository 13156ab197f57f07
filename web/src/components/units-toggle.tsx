import { chooseUnits, useUnits } from '../units.ts';
import { Button } from './button.tsx';

/** Switches all amounts between whole tokens and base units. */
export function UnitsToggle() {
  const units = useUnits();
  const other = units === 'base' ? 'tokens' : 'base';
  return (
    <Button quiet onClick={() => chooseUnits(other)}>
      Show amounts in {other === 'base' ? 'base units' : 'whole tokens'}
    </Button>
  );
}
