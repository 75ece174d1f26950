/** Variables of the instance: its modes, its name and log, the control plane, and files. */
import { randomUUID } from 'node:crypto'
import { boolean, clampedNumber, oneOf, parser, text } from '../../contract/parsers.ts'
import { folders, instanceName } from '../address-parsers.ts'
import type { ControlAuth, LogFormat } from '../config.ts'
import { parseLogLevel, type LogLevel } from '../log-level.ts'
import { nullableText, row, type Variable } from './variable.ts'

const logLevel = parser<LogLevel>('trace, debug, info, warn, error or off', parseLogLevel)
const controlAuth = oneOf<ControlAuth>(['open', 'token', 'jwt'], { off: 'open', none: 'open', admin: 'token' })

/** Modes, on which other defaults depend. */
export const MODES: readonly Variable[] = [
  row({
    name: 'SVC_PUBLIC_MODE',
    field: 'publicMode',
    parser: boolean,
    default: false,
    shownAs: 'public_mode',
    description:
      'Hardening for instances that strangers can reach: lower limits, the inspector captures only requests with `X-Svc-Session`, and instance-wide changes require the admin token.',
  }),
  row({
    name: 'SVC_HOSTED_MODE',
    field: 'hostedMode',
    parser: boolean,
    default: false,
    shownAs: 'hosted_mode',
    description:
      'Preset for hosted instances: sets `SVC_CONTROL_AUTH=jwt` and `SVC_LOG_FORMAT=json` unless those variables are set.',
  }),
  row({
    name: 'SVC_LOAD_MODE',
    field: 'loadMode',
    parser: boolean,
    default: false,
    shownAs: 'load_mode',
    description:
      'For load tests: requests are counted in the metrics, but neither captured nor written to the access log, and get no generated request id. Rules and faults work.',
  }),
]

export const INSTANCE: readonly Variable[] = [
  row({
    name: 'SVC_INSTANCE_ID',
    field: 'instanceId',
    parser: instanceName,
    default: () => randomUUID(),
    defaultText: 'a random UUID',
    shownAs: 'instance_id',
    description: 'Name of this instance, as shown in responses.',
  }),
  row({
    name: 'SVC_GIT_SHA',
    field: 'gitSha',
    parser: nullableText,
    default: null,
    defaultText: 'HEAD of the checkout',
    shownAs: null,
    description: 'Git revision shown by `/_svc/version`.',
  }),
  row({
    name: 'SVC_LOG_LEVEL',
    field: 'logLevel',
    parser: logLevel,
    default: 'info',
    shownAs: 'log_level',
    alias: 'RUST_LOG',
    description:
      'Minimum log level. In a list such as `warn,http=debug` the level without a target applies. Falls back to `RUST_LOG`.',
  }),
  row({
    name: 'SVC_LOG_FORMAT',
    field: 'logFormat',
    parser: oneOf<LogFormat>(['text', 'json']),
    default: config => (config.hostedMode ? 'json' : 'text'),
    defaultText: 'text; json in hosted mode',
    shownAs: 'log_format',
    description: 'Log format on standard output: readable text, or one JSON object per line.',
  }),
  row({
    name: 'SVC_INSPECTOR_CAPACITY',
    field: 'inspectorCapacity',
    parser: clampedNumber(1, 10_000),
    default: 500,
    shownAs: 'inspector_capacity',
    description: 'Number of requests the inspector keeps.',
  }),
]

export const CONTROL_PLANE: readonly Variable[] = [
  row({
    name: 'SVC_ADMIN_TOKEN',
    field: 'adminToken',
    parser: nullableText,
    default: null,
    shownAs: 'admin_token_configured',
    secret: true,
    description: 'Token required for instance-wide changes.',
  }),
  row({
    name: 'SVC_CONTROL_AUTH',
    field: 'controlAuth',
    parser: controlAuth,
    default: config => (config.hostedMode ? 'jwt' : 'open'),
    defaultText: 'open; jwt in hosted mode',
    shownAs: 'control_auth',
    description:
      'Credential required below `/_svc`: none (`open`), the admin token (`token`), or the admin token or a JWT (`jwt`).',
  }),
  row({
    name: 'SVC_CONTROL_JWT_PUBLIC_KEY',
    field: 'controlJwtPublicKey',
    parser: nullableText,
    default: null,
    shownAs: 'control_jwt_key_configured',
    secret: true,
    description: 'Ed25519 public key that verifies control-plane JWTs: PEM, base64 DER, or base64 of the raw 32 bytes.',
  }),
  row({
    name: 'SVC_CONTROL_JWT_AUDIENCE',
    field: 'controlJwtAudience',
    parser: text,
    default: config => config.instanceId,
    defaultText: 'the instance id, or the prefix of the state store',
    shownAs: 'control_jwt_audience',
    description: 'Required audience (`aud`) of control-plane JWTs.',
  }),
]

export const FILES: readonly Variable[] = [
  row({
    name: 'SVC_CONFIG_FILE',
    field: 'configFile',
    parser: nullableText,
    default: null,
    defaultText: './svc.yaml if it exists',
    shownAs: 'config_file',
    description: 'Path of the configuration file; `--config` takes precedence.',
  }),
  row({
    name: 'SVC_PLUGINS_DIR',
    field: 'pluginDirs',
    parser: folders,
    default: () => [],
    defaultText: 'none',
    shownAs: 'plugin_dirs',
    description: 'Additional plugin folders.',
  }),
  row({
    name: 'SVC_WATCH',
    field: 'watch',
    parser: boolean,
    default: config => !config.publicMode && !config.hostedMode,
    defaultText: 'true; false in public and hosted mode',
    shownAs: 'watch',
    description: 'Reload when plugins or the configuration file change on disk.',
  }),
]
