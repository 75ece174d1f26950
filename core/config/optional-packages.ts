/**
 * Packages that only some installations need (optional `peerDependencies` in package.json). They are loaded only when
 * configured.
 */

export const REDIS_PACKAGES = ['@redis/client']
export const OPENTELEMETRY_PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
]

/**
 * One line that says why a module could not be loaded. If one of `packages` is missing, it contains the command that
 * installs them.
 */
export function loadFailure(error: unknown, packages: readonly string[]): string {
  const { code, message } = error as NodeJS.ErrnoException
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
  const missing = isMissing ? packages.find(name => message.includes(`'${name}'`)) : undefined
  if (missing === undefined) return message.split('\n', 1)[0]!
  return `the package ${missing} is not installed (npm install ${packages.join(' ')})`
}
