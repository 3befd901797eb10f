{{/*
Every secret that pods of the release refer to: JSON of name → list of keys. bootstrap-secrets and the
external secrets must create exactly these.
*/}}
{{- define "survey.secrets" -}}
{{- $secrets := dict -}}
{{- $roles := list "owner" -}}
{{- $users := list "prepare" -}}
{{- range $name, $facts := include "survey.components" . | fromYaml -}}
{{- $roles = append $roles $facts.role -}}
{{- $users = append $users $name -}}
{{- end -}}
{{- if or .Values.opsTools.enabled .Values.bundled.enabled }}{{- $users = append $users "ops-tools" -}}{{- end -}}
{{- if .Values.bundled.enabled }}{{- $users = append $users "application" -}}{{- end -}}
{{- range $role := $roles -}}
{{- $place := index $.Values.postgres.passwords $role | default dict -}}
{{- $secret := default $.Values.postgres.existingSecret $place.existingSecret -}}
{{- $_ := set $secrets $secret (append (index $secrets $secret | default list) (default $role $place.key)) -}}
{{- end -}}
{{- if .Values.nats.auth.enabled -}}
{{- $secret := .Values.nats.auth.existingSecret -}}
{{- $_ := set $secrets $secret (concat (index $secrets $secret | default list) $users) -}}
{{- end -}}
{{- if .Values.redis.auth.enabled -}}
{{- $secret := .Values.redis.auth.existingSecret -}}
{{- $_ := set $secrets $secret (append (index $secrets $secret | default list) "password") -}}
{{- end -}}
{{- if .Values.console.enabled -}}
{{- $secret := .Values.console.existingSecret -}}
{{- $_ := set $secrets $secret (concat (index $secrets $secret | default list) (list "issuers" "session-keys")) -}}
{{- end -}}
{{- if .Values.smtp.enabled -}}
{{- $secret := .Values.smtp.existingSecret -}}
{{- $_ := set $secrets $secret (append (index $secrets $secret | default list) "url") -}}
{{- end -}}
{{- if .Values.tests.apiKey.existingSecret -}}
{{- $secret := .Values.tests.apiKey.existingSecret -}}
{{- $_ := set $secrets $secret (append (index $secrets $secret | default list) "api-key") -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}
