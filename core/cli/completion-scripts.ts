/** The completion scripts of bash, zsh and fish. All words are of a restricted alphabet, so none is quoted. */
import type { CompletionWords } from '../contract/command.ts'
import { SERVE_OPTIONS } from './serve-options.ts'

/** A command with what is completed after it. */
export interface CompletedCommand {
  name: string
  summary: string
  /** With dashes. */
  options: readonly string[]
  words: CompletionWords
}

type Script = (commands: readonly CompletedCommand[]) => string

const LEADING_OPTIONS = [...Object.keys(SERVE_OPTIONS), 'version', 'help'].map(name => `--${name}`)
/** Options in front of the command whose value is not the command. */
const OPTIONS_WITH_VALUE = Object.entries(SERVE_OPTIONS)
  .filter(([, { value }]) => value !== undefined)
  .map(([name]) => `--${name}`)

export const SHELLS: Readonly<Record<string, Script>> = { bash, zsh, fish }

function bash(commands: readonly CompletedCommand[]): string {
  return `# Completion of svc for bash.
_svc() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' found='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      ${OPTIONS_WITH_VALUE.join('|')}) ((index++)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[index]}; break ;;
    esac
  done
${cases(commands, '$command', '$previous')}
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _svc svc
`
}

function zsh(commands: readonly CompletedCommand[]): string {
  return `#compdef svc
# Completion of svc for zsh.
_svc() {
  local previous=\${words[CURRENT-1]} command='' found='' index
  for ((index = 2; index < CURRENT; index++)); do
    case \${words[index]} in
      ${OPTIONS_WITH_VALUE.join('|')}) ((index++)) ;;
      -*) ;;
      *) command=\${words[index]}; break ;;
    esac
  done
${cases(commands, '$command', '$previous')}
  compadd -- \${=found} || _files
}
compdef _svc svc
`
}

/** Sets \`found\` to the words after \`previous\`, in the form that bash and zsh share. */
function cases(commands: readonly CompletedCommand[], command: string, previous: string): string {
  const names = commands.map(({ name }) => name)
  const arms = commands.map(one => {
    const { '': first = [], ...after } = one.words
    const lists = Object.entries(after).map(([before, words]) => `        ${before}) found='${words.join(' ')}' ;;`)
    const otherwise = `        *) found='${one.options.join(' ')}' ;;`
    return [
      `    ${one.name}) case ${previous} in`,
      `        ${one.name}) found='${[...first, ...one.options].join(' ')}' ;;`,
      ...lists,
      otherwise,
      '      esac ;;',
    ].join('\n')
  })
  return [
    `  case ${command} in`,
    `    '') found='${[...names, ...LEADING_OPTIONS].join(' ')}' ;;`,
    ...arms,
    '  esac',
  ].join('\n')
}

function fish(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  const leading = LEADING_OPTIONS.map(option => option.slice(2))
  const lines = commands.flatMap(({ name, summary, options, words: { '': first = [], ...after } }) => [
    `complete -c svc -n __svc_no_command -a ${name} -d '${summary}'`,
    ...options.map(option => `complete -c svc -n '__svc_in ${name}' -l ${option.slice(2)}`),
    ...(first.length === 0 ? [] : [`complete -c svc -n '__svc_after ${name} ${name}' -a '${first.join(' ')}'`]),
    ...Object.entries(after).map(
      ([before, words]) => `complete -c svc -n '__svc_after ${name} ${before}' -a '${words.join(' ')}'`,
    ),
  ])
  return `# Completion of svc for fish.
function __svc_command
  for word in (commandline -opc)[2..-1]
    if contains -- $word ${names}
      echo $word
      return
    end
  end
end
function __svc_no_command
  set -l command (__svc_command)
  test -z "$command"
end
function __svc_in
  set -l command (__svc_command)
  test "$command" = $argv[1]
end
function __svc_after
  __svc_in $argv[1]; and test (commandline -opc)[-1] = $argv[2]
end
complete -c svc -n __svc_no_command -f
${leading.map(option => `complete -c svc -n __svc_no_command -l ${option}`).join('\n')}
${lines.join('\n')}
`
}
