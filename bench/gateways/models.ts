/** Configurations of gateways of models. */
import type { GatewayConfiguration, GatewayFacts } from './configuration.ts'

/** Of gateways that only know models: they forward nothing but the paths of their API. */
const MODELS = ['--timeout', '20', '--bearer', 'sk-demo']

/** Headers say to Portkey where each model is. */
const portkeyRoutes = ({ up }: GatewayFacts): string => `llm:
  preset: portkey
  model: gpt-4o
  models:
${PORTKEY_MODELS.map(
  ([model, provider, path, more = '']) =>
    `    - { model: "${model}", headers: { x-portkey-provider: ${provider}, x-portkey-custom-host: "http://127.0.0.1:${up}${path}"${more} } }\n`,
).join('')}`
const AWS =
  ', x-portkey-aws-access-key-id: demo, x-portkey-aws-secret-access-key: demo, x-portkey-aws-region: us-east-1'
const PORTKEY_MODELS: readonly (readonly [model: string, provider: string, path: string, more?: string])[] = [
  ['gpt-4o', 'openai', '/ai/openai/v1'],
  ['claude-sonnet-4-5', 'anthropic', '/ai/anthropic/v1'],
  ['gemini-2.5-flash', 'google', '/ai/gemini'],
  ['command-a-03-2025', 'cohere', '/ai/cohere'],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'bedrock', '/ai/bedrock', AWS],
]

export const OF_MODELS: readonly GatewayConfiguration[] = [
  {
    product: 'LiteLLM',
    kind: 'default',
    part: 'models',
    program: 'litellm',
    version: ['--version'],
    file: 'litellm.yaml',
    text: ({ up }) => `general_settings:
  master_key: sk-demo
litellm_settings:
  drop_params: true
model_list:
  - model_name: svc-openai
    litellm_params: { model: openai/gpt-4o, api_base: "http://127.0.0.1:${up}/ai/openai/v1", api_key: demo }
  - model_name: svc-anthropic
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_base: "http://127.0.0.1:${up}/ai/anthropic", api_key: demo }
  - model_name: svc-gemini
    litellm_params: { model: gemini/gemini-2.5-flash, api_base: "http://127.0.0.1:${up}/ai/gemini/v1beta", api_key: demo }
  - model_name: svc-bedrock
    litellm_params:
      model: bedrock/converse/anthropic.claude-sonnet-4-5-20250929-v1:0
      api_base: http://127.0.0.1:${up}/ai/bedrock
      api_key: demo
      aws_region_name: us-east-1
  - model_name: svc-embed
    litellm_params: { model: openai/text-embedding-3-small, api_base: "http://127.0.0.1:${up}/ai/openai/v1", api_key: demo }
  - model_name: twin
    litellm_params: { model: openai/gpt-5, api_base: "http://127.0.0.1:${up}/ai/openai/v1", api_key: key-one }
  - model_name: twin
    litellm_params: { model: openai/gpt-5, api_base: "http://127.0.0.1:${up}/ai/openai/v1", api_key: key-two }
mcp_servers:
  svc: { url: "http://127.0.0.1:${up}/mcp", transport: http }
`,
    arguments: (file, { port }) => ['--config', file, '--host', '127.0.0.1', '--port', String(port)],
    environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    probe: () => [...MODELS, '--groups', 'llm,translate,guardrails,mcp'],
    routes: () => `llm:
  preset: litellm
  credential: gateway
  model: svc-openai
  models: [svc-openai, svc-anthropic, svc-gemini, svc-bedrock]
  embeddings: [svc-embed]
  replicas: twin
mcp: /mcp/
`,
  },
  {
    product: 'Portkey',
    kind: 'default',
    part: 'models',
    program: 'gateway',
    // The program itself does not tell.
    versionProgram: 'sh',
    version: [
      '-c',
      `node -p "require(require('path').join(require('fs').realpathSync(process.argv[1]), '../../package.json')).version" "$(command -v gateway)"`,
    ],
    file: 'headers.yaml',
    text: portkeyRoutes,
    arguments: (_file, { port }) => [`--port=${port}`, '--headless'],
    environment: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    probe: () => [...MODELS, '--groups', 'llm,translate'],
    routes: portkeyRoutes,
  },
  {
    product: 'Claude Code Router',
    kind: 'default',
    part: 'models',
    // The program reads a file below the home directory only.
    program: 'sh',
    versionProgram: 'ccr',
    version: ['-v'],
    file: 'config.json',
    text: ({ up, port }) =>
      `${JSON.stringify(
        {
          HOST: '127.0.0.1',
          PORT: port,
          LOG: false,
          APIKEY: 'sk-demo',
          NON_INTERACTIVE_MODE: true,
          Providers: [
            ['gpt', '/ai/openai/v1/chat/completions', 'gpt-4o'],
            ['gem', '/ai/gemini/v1beta/models/', 'gemini-2.5-flash', 'gemini'],
            ['claude', '/ai/anthropic/v1/messages', 'claude-sonnet-4-5', 'Anthropic'],
          ].map(([name, path, model, transformer]) => ({
            name,
            api_base_url: `http://127.0.0.1:${up}${path}`,
            api_key: 'demo',
            models: [model],
            ...(transformer === undefined ? {} : { transformer: { use: [transformer] } }),
          })),
          Router: { default: 'gpt,gpt-4o' },
        },
        null,
        2,
      )}\n`,
    arguments: file => [
      '-c',
      'mkdir -p .claude-code-router && cp "$1" .claude-code-router/config.json && HOME="$PWD" exec ccr start',
      'sh',
      file,
    ],
    probe: () => [...MODELS, '--groups', 'llm,translate'],
    routes: () => `llm:
  preset: claude-code-router
  credential: gateway
  models: ["gpt,gpt-4o", "gem,gemini-2.5-flash", "claude,claude-sonnet-4-5"]
`,
  },
]
