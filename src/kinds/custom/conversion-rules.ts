// How a definition's versions may be converted.
import { type Cause, cause } from '../../base/errors.ts'
import { checkDns1035Label } from '../../base/names.ts'
import type { Definition } from './definition.ts'

const REVIEWS = ['v1', 'v1beta1']
const PORT_MAX = 65_535

export function checkConversion({ spec }: Definition, old: Definition | undefined): readonly Cause[] {
  const { strategy, webhook } = spec?.conversion ?? {}
  const at = 'spec.conversion'
  if (!spec?.conversion) return []
  if (!strategy) return [cause.required(`${at}.strategy`)]
  if (strategy === 'None') {
    if (!webhook) return []
    const why = 'should not be set when strategy is not set to Webhook'
    return [
      ...(webhook.clientConfig ? [cause.forbidden(`${at}.webhookClientConfig`, why)] : []),
      ...(webhook.conversionReviewVersions?.length
        ? [cause.forbidden(`${at}.conversionReviewVersions`, why)]
        : []),
    ]
  }
  if (strategy !== 'Webhook') return [cause.notSupported(`${at}.strategy`, strategy, ['None', 'Webhook'])]
  const config = webhook?.clientConfig
  const field = `${at}.webhookClientConfig`
  if (!config) return [cause.required(field, 'required when strategy is set to Webhook')]
  const causes: Cause[] = []
  if ((config.url === undefined) === (config.service === undefined)) {
    causes.push(cause.required(field, 'exactly one of url or service is required'))
  } else if (config.url !== undefined) checkUrl(config.url, `${field}.url`, causes)
  else {
    const { name, namespace, port = 443 } = config.service ?? {}
    if (!name) causes.push(cause.required(`${field}.service.name`, 'service name is required'))
    if (!namespace) causes.push(cause.required(`${field}.service.namespace`, 'service namespace is required'))
    if (port < 1 || port > PORT_MAX) {
      const why = `port is not valid: must be between 1 and ${PORT_MAX}, inclusive`
      causes.push(cause.invalid(`${field}.service.port`, port, why))
    }
  }
  return [...causes, ...checkReviews(webhook?.conversionReviewVersions ?? [], old)]
}

function checkUrl(url: string, field: string, causes: Cause[]): void {
  const form = 'desired format: https://host[/path]'
  if (!url.startsWith('https://')) {
    causes.push(cause.invalid(field, url, `'https' is the only allowed URL scheme; ${form}`))
  }
  if (!/^[a-z]+:\/\/[^/]+/.test(url))
    causes.push(cause.invalid(field, url, `host must be specified; ${form}`))
}

function checkReviews(versions: readonly string[], old: Definition | undefined): readonly Cause[] {
  const field = 'spec.conversion.conversionReviewVersions'
  const causes: Cause[] = []
  const seen = new Set<string>()
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) causes.push(cause.invalid(`${field}[${index}]`, version, 'duplicate version'))
    seen.add(version)
    for (const problem of checkDns1035Label(version)) {
      causes.push(cause.invalid(`${field}[${index}]`, version, problem))
    }
  }
  if (versions.length === 0) causes.push(cause.required(field))
  else if (!versions.some((version) => REVIEWS.includes(version))) {
    const before = old?.spec?.conversion?.webhook?.conversionReviewVersions ?? []
    if (before.length > 0 && !before.some((version) => REVIEWS.includes(version))) return causes
    causes.push(cause.invalid(field, versions, `must include at least one of ${REVIEWS.join(', ')}`))
  }
  return causes
}
