// The link between agents: questions and answers as JSON, mutually authenticated by certificates of the cluster's CA.
// Rooms of the agent ask and answer through this interface; what carries it is theirs to ignore.
import type { JsonObject } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'

/**
 * Gives the answer, or a Failure that travels to the asker as it is. `caller` is the asker's node name, `''` for a
 * server. The signal aborts when the asker went away or gave up.
 */
export type LinkAnswer = (
  body: JsonObject,
  caller: string,
  signal: AbortSignal,
) => Promise<Result<JsonObject>>

export interface AgentLink {
  /**
   * Asks the agent of another node. Failures: `NodeUnknown` (no such node, or it tells no address), `NodeUnreachable`,
   * `TimedOut`, `Aborted`, `NoSuchMethod`, `BodyTooLarge`, or what the other side answered.
   */
  call(
    nodeName: string,
    method: string,
    body: JsonObject,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<JsonObject>>
  /** Answers others; one answer a method. The caller's node name is from its certificate. */
  answer(method: string, answer: LinkAnswer): void
}
