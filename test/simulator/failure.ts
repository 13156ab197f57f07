/** What a simulation found wrong: the sentence says what was expected and what came. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';
}
