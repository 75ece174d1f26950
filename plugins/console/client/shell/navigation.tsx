/** Navigation between views: on the left, or a menu below 720 px. */
import { Icon } from '../ui/icon.tsx'
import { hashOf } from '../lib/shell/router.ts'
import { page } from '../lib/instance/page.ts'
import { currentView, shownViews } from './current-view.ts'

export function Navigation({ isOpen }: { isOpen: boolean }) {
  return (
    <nav aria-label="Views" id="views" class={`navigation ${isOpen ? 'open' : ''}`}>
      <ul>
        {shownViews.value.map(({ key, title, icon, digit }) => (
          <li key={key}>
            <a
              href={hashOf(key)}
              aria-current={key === currentView.value.key ? 'page' : undefined}
              aria-keyshortcuts={digit && `Alt+${digit}`}
              title={digit && `Alt+${digit}`}
            >
              <Icon name={icon} />
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="version">svc {page.version}</p>
    </nav>
  )
}
