{{/* Pod Security "restricted", for a pod. Argument: (dict "user" 10001 ["group" …]). */}}
{{- define "survey-lib.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ int .user }}
runAsGroup: {{ int .user }}
fsGroup: {{ int .user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Pod Security "restricted", for a container; and a root file system that nobody writes to. */}}
{{- define "survey-lib.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/*
What a container asks for. The memory limit is the request: what a pod may use is what the node has set aside for it. No processor limit unless
one is given: throttling would stop the event loop.
*/}}
{{- define "survey-lib.resources" -}}
requests:
  cpu: {{ .cpu | quote }}
  memory: {{ .memory | quote }}
  ephemeral-storage: {{ .ephemeralStorage | quote }}
limits:
  memory: {{ .memory | quote }}
  ephemeral-storage: {{ .ephemeralStorage | quote }}
  {{- with .cpuLimit }}
  cpu: {{ . | quote }}
  {{- end }}
{{- end -}}

{{/*
The part of a pod's spec that all pods share.
Argument: (dict "root" $ "serviceAccount" name "user" uid "graceSeconds" n ["scheduling" component values]).
*/}}
{{- define "survey-lib.podBase" -}}
serviceAccountName: {{ .serviceAccount }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ int .graceSeconds }}
securityContext:
  {{- include "survey-lib.podSecurity" . | nindent 2 }}
{{- with .root.Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .scheduling }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A service account that can do nothing. Argument: (dict "root" $ "component" … "name" … ["annotations" …]). */}}
{{- define "survey-lib.serviceAccount" -}}
{{ include "survey-lib.head" (merge (dict "apiVersion" "v1" "kind" "ServiceAccount") .) }}
automountServiceAccountToken: false
{{- end -}}
