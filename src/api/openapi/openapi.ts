// OpenAPI documents.
import type { HttpRequest, HttpResponse } from '../../host/host.ts'
import type { Core } from '../core.ts'
import type { RequestInfo } from '../gate-port.ts'
import { answerText } from '../http/answer.ts'

export async function answerOpenApi(
  _core: Core,
  _request: HttpRequest,
  _info: RequestInfo,
): Promise<HttpResponse> {
  return answerText(404, '404 page not found\n')
}
