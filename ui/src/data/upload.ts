// Sends the file of an image, with progress; fetch cannot tell how far an upload has come.
import { ApiFailure, failureFrom } from './api.ts'

export interface Upload {
  readonly namespace: string
  readonly name: string
  readonly file: File
  readonly onProgress: (sentBytes: number) => void
  readonly signal: AbortSignal
}

export function uploadImage({ namespace, name, file, onProgress, signal }: Upload): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const type = 'harvesterhci.io.virtualmachineimages'
    request.open('POST', `/v1/harvester/${type}/${namespace}/${name}?action=upload&size=${file.size}`)
    request.upload.addEventListener('progress', (event) => onProgress(event.loaded))
    request.addEventListener('load', () => {
      if (request.status < 300) resolve()
      else reject(failureFrom(request.status, request.responseText, request.getResponseHeader('retry-after')))
    })
    request.addEventListener('error', () =>
      reject(new ApiFailure(0, 'Unreachable', 'the connection broke off')),
    )
    request.addEventListener('abort', () => reject(new ApiFailure(0, 'Aborted', 'aborted')))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    const body = new FormData()
    body.append('chunk', file, file.name)
    request.send(body)
  })
}
