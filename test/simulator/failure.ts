/** Thrown if a simulation finds an error: the sentence says what was expected and what came. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';
}
