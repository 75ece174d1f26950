/** Owns the fields that the cards of both protocol versions share. */
import type { AgentDefinition, Skill } from '../types.ts'

/** The agent of `/a2a` and of the cards at the root; its card lists all agents. */
export const DEFAULT_AGENT = 'echo'

/** An agent as one request sees it. */
export interface CardSubject {
  agent: AgentDefinition
  /** `scheme://host[:port]` */
  base: string
  /** URL of the agent, without a slash at its end. */
  url: string
  /** URL of the keys of signed cards. */
  keysUrl: string
  /** Version of the product. */
  version: string
  isExtended?: boolean
  /** Set for the agent whose card lists all agents. */
  directory?: readonly AgentDefinition[]
}

const DIRECTORY_URI = 'urn:svc:a2a:agent-directory:v1'

export const BEARER_TEXT = 'Access token from the built-in identity provider'
export const OAUTH_TEXT = 'Client credentials at the built-in identity provider'
export const OIDC_TEXT = 'OpenID Connect discovery of the built-in identity provider'
export const SCOPES = {
  openid: 'Identifies the user',
  profile: 'Name and picture of the user',
  email: 'E-mail address of the user',
}

export function sharedFields({ agent, base, version }: CardSubject) {
  return {
    name: agent.name,
    description: agent.description,
    provider: { organization: 'svc', url: `${base}/` },
    version,
    documentationUrl: `${base}/docs`,
    iconUrl: `${base}/image/svg`,
    defaultInputModes: agent.inputModes,
    defaultOutputModes: agent.outputModes,
  }
}

/** A skill without modes gets those of its agent. */
export function skillsOf({ agent, isExtended }: CardSubject): Required<Skill>[] {
  const skills = isExtended ? [...agent.skills, ...(agent.extendedSkills ?? [])] : agent.skills
  return skills.map(
    ({ id, name, description, tags, examples, inputModes = agent.inputModes, outputModes = agent.outputModes }) => ({
      id,
      name,
      description,
      tags,
      examples,
      inputModes,
      outputModes,
    }),
  )
}

interface Extension {
  uri: string
  description: string
  required: boolean
  params?: object
}

/** The extensions that the agent requires; on the default card, the one that lists all agents. */
export function extensionsOf({ agent, directory, base }: Pick<CardSubject, 'agent' | 'directory' | 'base'>): {
  extensions?: Extension[]
} {
  const extensions: Extension[] = (agent.requiredExtensions ?? []).map(extension => ({ ...extension, required: true }))
  if (directory) extensions.unshift(directoryExtension(directory, base))
  return extensions.length > 0 ? { extensions } : {}
}

function directoryExtension(directory: readonly AgentDefinition[], base: string): Extension {
  const agents = directory.map(({ id, name }) => ({
    id,
    name,
    url: `${base}/a2a/${id}`,
    cardUrl: `${base}/a2a/${id}/.well-known/agent-card.json`,
  }))
  return { uri: DIRECTORY_URI, description: 'All agents of this server', required: false, params: { agents } }
}
