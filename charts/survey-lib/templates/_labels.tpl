{{/*
What selects the pods of a component. Immutable in a Deployment: never add to it, never take from it.
Argument: (dict "root" $ "component" "gateway").
*/}}
{{- define "survey-lib.selector" -}}
app.kubernetes.io/name: survey
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* What every object and pod carries. */}}
{{- define "survey-lib.labels" -}}
{{ include "survey-lib.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: survey
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What selects all pods of the release. */}}
{{- define "survey-lib.releaseSelector" -}}
app.kubernetes.io/part-of: survey
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{/*
The head of an object: apiVersion, kind, metadata.
Argument: (dict "root" $ "apiVersion" … "kind" … "name" … "component" … ["annotations" dict] ["labels" dict]).
*/}}
{{- define "survey-lib.head" -}}
apiVersion: {{ .apiVersion }}
kind: {{ .kind }}
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "survey-lib.labels" . | nindent 4 }}
    {{- with .labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
